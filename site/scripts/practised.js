// What of a text training never had, in words. The command line has the same in native/cli/practised.go.

/** practised says what of a text training never had, in sentences. The kinds are those of package tasks. */
export function practised(list) {
  const numbers = list.filter((x) => x.kind === "number");
  const same = numbers.map((x) => `${x.value} is ${x.same}`).join(", ");
  return [
    ...numbers.slice(0, 1).map((x) => `It has practised ${x.least} to ${x.most}; ${same} here.`),
    ...list.filter((x) => x.kind !== "number").map(sentence),
  ].join(" ");
}

function sentence({ kind, value, least, most }) {
  switch (kind) {
    case "operands": return `It has practised ${least} to ${most} numbers; this has ${value}.`;
    case "terms": return `It has practised up to ${most} terms in a row; this has ${value}.`;
    case "depth":
      return most ? `It has practised brackets up to ${most} deep; these are ${value} deep.`
        : "It has practised no brackets.";
    case "length": return `It has practised lengths of ${least} to ${most}; this is ${value}.`;
    case "odd": return `It has practised even lengths alone; this is ${value}.`;
    case "operator":
      return value === "-(" ? "It has practised no minus before a bracket." : `It has practised no ${value}.`;
    case "token": return `No text in its training had “${value}”.`;
    case "pairs": return "It has practised a bracket around every two parts.";
    default: return "It has practised no brackets in such places.";
  }
}
