// Small things every page may use: copying a value, and focus after a partial update.

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
