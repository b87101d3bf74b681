// Enhancements for forms that also work without a script.

const MOST_RUNS = 8;

export function submitOnChange(root) {
  for (const select of root.querySelectorAll("form[data-auto] select"))
    select.addEventListener("change", () => select.form.requestSubmit());
}

export function pickSeveral(document) {
  const button = document.querySelector("[data-compare]");
  if (!button) return;
  const boxes = () => [...document.querySelectorAll("input[name=run]")];
  const update = () => {
    const picked = boxes().filter((box) => box.checked).length;
    button.disabled = picked < 2;
    for (const box of boxes()) box.disabled = picked >= MOST_RUNS && !box.checked;
  };
  document.addEventListener("change", update);
  update();
}

export function confirmFirst(root) {
  for (const form of root.querySelectorAll("form[data-confirm]"))
    form.addEventListener("submit", (event) => { if (!confirm(form.dataset.confirm)) event.preventDefault(); });
}
