// Browsers start no worker for a page opened from disk, and search runs in one. There, an iframe runs its script.
// The name makes Zensical leave out the same shim, which it would load from another host.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.inner = this.frame.contentWindow;
      this.inner.postMessage = (data) => this.receive(structuredClone(data));
      const script = this.inner.document.createElement("script");
      script.src = new URL(url, location.href).href;
      script.onerror = (event) => this.onerror?.(event);
      this.loaded = new Promise((resolve) => { script.onload = resolve; });
      this.inner.document.body.append(script);
    }

    postMessage(sent) {
      const data = structuredClone(sent);
      this.loaded.then(() => this.inner.onmessage?.({ data }));
    }

    receive(data) {
      setTimeout(() => this.onmessage?.({ data }));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
