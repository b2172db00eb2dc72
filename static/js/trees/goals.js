// Where a phrase, or siblings side by side, can be moved without a gap: nodes of the drawing by what they say of themselves.

/** @typedef {HTMLElement} Node */
const first = (node) => Number(node.dataset.word);
const end = (node) => Number(node.dataset.end);
const inOrder = (a, b) => a.dataset.v - b.dataset.v;

/** @param {Node[]} run @param {Node[]} all @returns {Node[]} */
export function goalsOf(run, all) {
  const by = new Map(all.map((node) => [node.dataset.v, node])), goals = new Set();
  const below = (node) => all.filter((one) => one.dataset.up === node.dataset.v).sort(inOrder);
  const isPhrase = (node) => node && !node.classList.contains("pw");
  const spine = (node, last) => {
    for (let at = node; isPhrase(at); at = below(at).at(last ? -1 : 0)) goals.add(at);
  };
  let [low, high] = [run[0], run.at(-1)], up = by.get(low.dataset.up);
  const own = up;
  let atLeft = true, atRight = true; // of all that was left
  while (up && (atLeft || atRight)) {
    const row = below(up), before = row[row.indexOf(low) - 1], after = row[row.indexOf(high) + 1];
    if (atLeft && before) spine(before, true);
    if (atRight && after) spine(after, false);
    if (up !== own) goals.add(up);
    atLeft = atLeft && first(low) === first(up);
    atRight = atRight && end(high) === end(up);
    [low, high, up] = [up, up, by.get(up.dataset.up)];
  }
  return [...goals].sort(inOrder);
}

const make = (tag, attributes, text = "") => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.textContent = text;
  return element;
};

// label and first words
export function shortName(node) {
  const words = [...document.querySelectorAll("#words [data-w]")].slice(first(node), end(node)).map((word) => word.textContent);
  const text = words.length > 4 ? `${words.slice(0, 3).join(" ")} …` : words.join(" ");
  return `${node.dataset.label} ${text}`.trim();
}

// numbered in the drawing and in the list
export function drawGoals(box, goals) {
  for (const old of box.querySelectorAll(".goal")) old.remove();
  box.querySelector("#goals").replaceChildren(...goals.map((goal, i) => {
    const row = document.createElement("li"), button = document.createElement("button");
    Object.assign(button, { type: "button", className: "quiet", textContent: shortName(goal) });
    button.dataset.goal = goal.dataset.v;
    row.append(button);
    if (i < 9) row.append(Object.assign(document.createElement("kbd"), { textContent: i + 1 }));
    return row;
  }));
  box.querySelector("#goals-part").hidden = !goals.length;
  for (const [i, goal] of goals.slice(0, 9).entries()) {
    const rect = goal.querySelector("rect"), [x, y, w] = ["x", "y", "width"].map((key) => Number(rect.getAttribute(key)));
    const badge = make("g", { class: "goal", "data-goal": goal.dataset.v, "aria-hidden": "true" });
    badge.append(make("rect", { x: x + w - 12, y: y - 13, width: 24, height: 24, rx: 5 }), make("text", { x: x + w, y: y + 3, "text-anchor": "middle" }, String(i + 1)));
    goal.parentNode.append(badge);
  }
}
