import { followKeys } from "./keys.js";
import { watchRun } from "./live.js";
import { loadParts } from "./parts.js";
import { localTimes } from "./times.js";
import { submitOnChange, pickSeveral, confirmFirst } from "./forms.js";

const start = (root) => {
  localTimes(root);
  submitOnChange(root);
  confirmFirst(root);
};

start(document);
pickSeveral(document);
followKeys(document);
loadParts(document, start);
watchRun(document, start);
document.querySelector("[data-theme-toggle]")?.addEventListener("click", () => rightcallTheme.toggle());
document.documentElement.dataset.ready = "";
