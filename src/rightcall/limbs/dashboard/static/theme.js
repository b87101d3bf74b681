// Runs before the first paint, so that a dark page is never white for a moment. Not a module for that reason.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => { try { return localStorage.getItem("rightcall-theme"); } catch { return null; } };
  const apply = () => { root.dataset.theme = chosen() || (system.matches ? "dark" : "light"); };
  apply();
  system.addEventListener("change", apply);
  globalThis.rightcallTheme = {
    toggle() {
      const next = root.dataset.theme === "dark" ? "light" : "dark";
      const followsSystem = next === (system.matches ? "dark" : "light");
      try {
        if (followsSystem) localStorage.removeItem("rightcall-theme");
        else localStorage.setItem("rightcall-theme", next);
      } catch { /* storage is off: the choice lasts for this page */ }
      root.dataset.theme = next;
    },
  };
})();
