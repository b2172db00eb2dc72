// Words that scripts show, in the language of the page: "words/LANG.js" brings Django's
// catalogue before any module runs; English is what stands here.

/** @returns {{gettext(text: string): string, ngettext(one: string, many: string, n: number): string} | undefined} */
const catalogue = () => /** @type {any} */ (globalThis).django;

/** @param {string} text */
export function gettext(text) {
  return catalogue()?.gettext(text) ?? text;
}

/**
 * @param {string} one
 * @param {string} many
 * @param {number} n
 */
export function ngettext(one, many, n) {
  return catalogue()?.ngettext(one, many, n) ?? (n === 1 ? one : many);
}

/**
 * Puts values into "%(name)s".
 * @param {string} text
 * @param {Record<string, string | number>} values
 */
export function fill(text, values) {
  return text.replace(/%\((\w+)\)s/g, (_, name) => String(values[name]));
}
