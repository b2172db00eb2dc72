// A small pair as the editor's page gives it: "a nurse slept" and "she slept".

const nodes = (rows) => rows.map(([ref, label, form, parent, start, end]) => [ref, label, form, parent, start, end]);

export const pair = () => ({
  trees: {
    s: {
      words: ["a", "nurse", "slept"], heads: [1, 2, -1], parse: "p1",
      nodes: nodes([
        ["n0", "S", "", -1, 0, 3], ["n1", "NP", "", 0, 0, 2], ["w0", "DT", "a", 1, 0, 1],
        ["w1", "NN", "nurse", 1, 1, 2], ["w2", "VBD", "slept", 0, 2, 3],
      ]),
    },
    t: {
      words: ["she", "slept"], heads: [1, -1], parse: "p2",
      nodes: nodes([["n0", "S", "", -1, 0, 2], ["w0", "PRP", "she", 0, 0, 1], ["w1", "VBD", "slept", 0, 1, 2]]),
    },
  },
  suggestions: [["w2", "w1", "sure", false, 0.9], ["n1", "w0", "sure", false, 0.6]],
  notes: [],
  layer: null,
});
