/**
 * Families of operators. They keep the legend of a network short, and a family has the same colour in every graph.
 * Pure; called by useColouring.ts.
 */

export const FAMILIES = [
  'product',
  'norm',
  'activation',
  'elementwise',
  'shape',
  'reduce',
  'update',
  'order',
  'other',
] as const
export type Family = (typeof FAMILIES)[number]

/** The first match counts. Gradients belong to the family of their operator. */
const RULES: readonly (readonly [Family, RegExp])[] = [
  ['update', /adam|momentum|sgd|lamb|optimizer|^apply|^assign|adagrad|rmsprop|ftrl|^_foreach_/i],
  ['order', /^(load|depend|updatestate|maketuple|tuplegetitem|make_tuple|control|partial|return|noop|identity)/i],
  ['product', /matmul|conv|dense|linear|einsum|gemm|attention|addmm|^b?mm$|^mv$/i],
  ['norm', /norm|dropout/i],
  [
    'activation',
    /relu|gelu|sigmoid|tanh|softmax|swish|silu|elu|mish|softplus|crossentropy|nll_?loss|^loss|^threshold/i,
  ],
  ['reduce', /reduce|pool|sum|mean|max|min|argm|prod|norm2|addn|accumulate/i],
  [
    'shape',
    /reshape|transpose|slice|concat|split|stack|gather|scatter|tile|expand|squeeze|flatten|pad|cast|shape|broadcast|onehot|pack|flat|view|permute|unbind|as_strided|^t$|^cat$|^(_to_)?copy_?$|^clone$|^index|^roll$|^flip$|^repeat|^select/i,
  ],
  [
    'elementwise',
    /add|sub|mul|div|pow|sqrt|square|exp|log|neg|abs|greater|less|equal|select|where|logical|bitwise|^(and|or|not|xor)$|cos|^a?sinh?$|clip|reciprocal/i,
  ],
]

export const familyOf = (op: string): Family => RULES.find(([, rule]) => rule.test(op))?.[0] ?? 'other'
