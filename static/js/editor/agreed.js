// What two trees agree about: phrases that can be folded without hiding any work.

const words = (model, node) => model.words[node.side].slice(node.start, node.end).join(" ").toLowerCase();

/**
 * The largest phrases of two words or more that agree with their partner, as pairs of keys.
 * Either all that is below the two is decided, or they have the same words; and no link
 * leads from below one to outside of the other.
 * @param {import("./model.js").Model} model @returns {[string, string][]}
 */
export function agreed(model) {
  /** @type {[string, string][]} */
  const found = [];
  const walk = (node) => {
    const to = partner(model, node);
    if (to && agree(model, node, to)) found.push([node.key, to.key]); else node.children.forEach(walk);
  };
  model.roots.s.forEach(walk);
  return found;
}

const isPhrase = (node) => !!node?.up && node.children.length > 0 && node.end - node.start > 1;

function partner(model, node) {
  const partners = model.counterparts(node.key);
  const to = partners.length === 1 ? model.nodes.get(partners[0]) : null;
  return isPhrase(node) && isPhrase(to) ? to : null;
}

function agree(model, s, t) {
  const [here, there] = [model.below(s.key), model.below(t.key)];
  const inside = new Set([...here, ...there]);
  const stays = [...inside].every((key) => model.partners(key).every((link) => inside.has(link.key)));
  if (!stays) return false;
  return words(model, s) === words(model, t) || !model.undecided([...inside]).length;
}
