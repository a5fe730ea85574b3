// What of a text training never had, in words. The command line has the same in native/practised.go.

/** practised says one thing of a text that training never had, as a sentence. The kinds are those of package tasks. */
export function practised({ kind, value, least, most, same }) {
  switch (kind) {
    case "number": return `It has practised ${least} to ${most}; ${value} is ${same} here.`;
    case "operands": return `It has practised ${least} to ${most} numbers; here are ${value}.`;
    case "terms": return `It has practised up to ${most} terms in a row; here are ${value}.`;
    case "depth":
      return most ? `It has practised brackets up to ${most} deep; these are ${value} deep.`
        : "It has practised no brackets.";
    case "length": return `It has practised lengths of ${least} to ${most}; this is ${value}.`;
    case "odd": return `It has practised even lengths alone; this is ${value}.`;
    case "operator":
      return value === "-(" ? "It has practised no minus before a bracket." : `It has practised no ${value}.`;
    case "token": return `No text in its training had “${value}”.`;
    default: return "It has practised no brackets in such places.";
  }
}
