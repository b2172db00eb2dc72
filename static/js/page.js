// Small things every page may use: copying a value, and forms that keep what is typed.

import { keepForms } from "./drafts.js";

keepForms();

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const text = document.querySelector(button.dataset.copy)?.textContent.trim() ?? "";
  await navigator.clipboard.writeText(text);
  button.textContent = "Copied";
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit-on-change]")) event.target.form.requestSubmit();
});
