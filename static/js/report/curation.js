// Curation: take a judge's values by key or click; Ctrl+Enter decides.

const form = document.querySelector("#decide");
const accepts = document.querySelector("#accepts");

function take(button) {
  for (const [name, value] of Object.entries(JSON.parse(button.dataset.values))) {
    for (const input of form.querySelectorAll(`[name="value-${CSS.escape(name)}"]`)) {
      if (input.type === "radio") input.checked = input.value === value;
      else input.value = value;
    }
  }
  accepts.value = button.dataset.accept;
  document.querySelector("#reason").focus();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-accept]");
  if (button) take(button);
});

// Own values are nobody's.
form.addEventListener("change", (event) => {
  if (event.target.name?.startsWith("value-")) accepts.value = "";
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey && event.key === "Enter") {
    event.preventDefault();
    form.requestSubmit(form.querySelector('[name="next"]'));
  } else if (/^[1-9]$/.test(event.key) && !event.ctrlKey && !event.altKey && !event.metaKey
      && !event.target.closest("input, select, textarea")) {
    const button = document.querySelector(`[data-accept][data-key="${event.key}"]`);
    if (button) take(button);
  }
});

document.querySelector("#error")?.focus();
