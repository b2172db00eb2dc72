// A secondary edge, drawn in three steps: its node is picked, then the one it leads to is chosen, then a label is typed.

import { fill, gettext } from "../words.js";

export class SecondaryEdges {
  // editor: chosen(), picked(), pick(), check(), send(), say(), name()
  constructor(box, editor) {
    this.editor = editor;
    this.find = (selector) => box.querySelector(selector);
    this.hasPick = () => ![null, editor.chosen().dataset.v].includes(editor.picked());
    this.isOn = false; // a node is picked, and the next one clicked is the other
  }

  next() {
    const { chosen, name, pick, say } = this.editor, hint = this.find("#second-hint"), isLast = this.hasPick();
    this.isOn = true;
    if (isLast) this.find("#second").select(); else pick();
    hint.textContent = fill(isLast ? gettext("To %(name)s: type the label, then press Enter.")
      : gettext("From %(name)s: click the other node, or go to it and press e. Esc cancels."), { name: name(chosen()) });
    hint.hidden = false;
    say(hint.textContent);
  }

  // to the chosen node, or to the second one of the table
  add() {
    const { check, chosen, picked, send } = this.editor;
    if (this.hasPick()) { check("node", picked()); check("other", chosen().dataset.v); }
    if (this.find("input[name=other]:checked")) send("add_secondary"); else this.next();
  }

  // in the list, the first that begins at a node; returns how many do
  show(node) {
    const list = this.find("#secedge"), own = [...list?.options ?? []].filter((one) => one.value.startsWith(`${node.dataset.v} `));
    if (own.length) list.value = own[0].value;
    return own.length;
  }

  remove() {
    const { chosen, say, send } = this.editor, n = this.show(chosen());
    if (n === 1) { send("remove_secondary"); return; }
    if (n) this.find("#secedge").focus();
    say(n ? gettext("Choose one of the secondary edges, then press Enter.") : gettext("No secondary edge begins at this node."));
  }

  // Enter in one of its fields; whether the key was for it
  entered({ key, target: { id } }) {
    if (key !== "Enter" || !["second", "secedge"].includes(id)) return false;
    if (id === "second") this.add(); else this.editor.send("remove_secondary");
    return true;
  }

  end() {
    this.isOn = false;
    this.find("#second-hint")?.setAttribute("hidden", "");
  }
}
