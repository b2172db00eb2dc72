// Parts of a page that stay while what they say stays: a redraw makes only what is new.

// Puts these children into a parent in this order; those that are there already are not
// touched, and few of them are moved.
export function arrange(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.childNodes]) if (!wanted.has(child)) child.remove();
  let at = parent.firstChild;
  for (const child of children) {
    if (at && at !== child && at.nextSibling === child) at = child; // the one here comes later
    if (at === child) at = at.nextSibling; else parent.insertBefore(child, at);
  }
}

export function setText(element, text) { if (element.textContent !== text) element.textContent = text; }

export class Parts {
  constructor() { this.made = new Map(); this.before = new Map(); }

  // From here on a new redraw: what it does not ask for is forgotten with the next.
  begin() { this.before = this.made; this.made = new Map(); }

  // The part of this name, made again only if one of its facts has changed.
  get(name, facts, make) {
    const face = facts.join("\n"), old = this.before.get(name);
    const part = old?.face === face ? old : { face, element: make() };
    this.made.set(name, part);
    return part.element;
  }
}
