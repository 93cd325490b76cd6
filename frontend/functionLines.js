/**
 * A rule on the length of functions. A composable or a store is a function whose body is mostly other functions, as the
 * body of a class is: these count for themselves, and the function around them for its own lines. Only lines with code
 * count, as in `tools/limits.py`.
 */
function linesWithCode(tokens) {
  const lines = new Set()
  for (const { loc } of tokens) for (let line = loc.start.line; line <= loc.end.line; line++) lines.add(line)
  return lines
}

/** @type {import('eslint').Rule.RuleModule} */
export const functionLines = {
  meta: {
    type: 'suggestion',
    schema: [
      {
        type: 'object',
        properties: { max: { type: 'integer' }, withNested: { type: 'integer' } },
        required: ['max', 'withNested'],
        additionalProperties: false,
      },
    ],
    messages: {
      own: '{{lines}} lines without the functions inside; at most {{max}} are allowed.',
      all: '{{lines}} lines with the functions inside; at most {{max}} are allowed.',
    },
  },
  create(context) {
    const { max, withNested } = context.options[0]
    const code = linesWithCode(context.sourceCode.ast.tokens)
    function linesOf({ loc }) {
      let lines = 0
      for (let line = loc.start.line; line <= loc.end.line; line++) if (code.has(line)) lines++
      return lines
    }
    /** For each function that is open: how many of its lines belong to functions inside it. */
    const nested = []
    const enter = () => void nested.push(0)
    const leave = (node) => {
      const lines = linesOf(node)
      const own = lines - nested.pop()
      // A function of one line leaves that line to the one around it.
      if (nested.length && lines > 1) nested[nested.length - 1] += lines
      if (own > max) context.report({ node, messageId: 'own', data: { lines: own, max } })
      else if (lines > withNested) context.report({ node, messageId: 'all', data: { lines, max: withNested } })
    }
    return {
      FunctionDeclaration: enter,
      FunctionExpression: enter,
      ArrowFunctionExpression: enter,
      'FunctionDeclaration:exit': leave,
      'FunctionExpression:exit': leave,
      'ArrowFunctionExpression:exit': leave,
    }
  },
}
