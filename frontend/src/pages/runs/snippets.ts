/** Code for a first run, with the dashboard's own directory filled in. Shown by FirstRun.vue. */

/** A token of code: plain, a highlighted keyword or name, or a string. */
export interface Piece {
  text: string
  look: 'plain' | 'strong' | 'quiet'
}
export type Line = readonly Piece[]

export const WAYS = ['pytorch', 'tensorflow', 'mindspore', 'python', 'files'] as const
export type Way = (typeof WAYS)[number]

const plain = (text: string): Piece => ({ text, look: 'plain' })
const strong = (text: string): Piece => ({ text, look: 'strong' })
const quiet = (text: string): Piece => ({ text, look: 'quiet' })

const imports = (from: string, name: string): Piece[] => [
  strong('from'),
  plain(` ${from} `),
  strong('import'),
  plain(` ${name}`),
]

/** @param base the directory that the dashboard watches */
export function snippet(way: Way, base: string): readonly Line[] {
  const run = JSON.stringify(`${base.replace(/\/+$/, '')}/first_run`)
  if (way === 'mindspore') {
    return [
      imports('mindspore', 'SummaryCollector'),
      [plain('summary = '), strong('SummaryCollector'), plain('('), quiet(run), plain(')')],
      [plain('model.train(10, dataset, callbacks=[summary])')],
    ]
  }
  if (way === 'tensorflow') {
    return [
      [strong('import'), plain(' tensorflow '), strong('as'), plain(' tf')],
      [plain('summary = tf.keras.callbacks.'), strong('TensorBoard'), plain('('), quiet(run), plain(')')],
      [plain('model.fit(dataset, epochs=10, callbacks=[summary])')],
    ]
  }
  if (way === 'pytorch' || way === 'python') {
    return [
      imports(way === 'pytorch' ? 'torch.utils.tensorboard' : 'summaries', 'SummaryWriter'),
      [strong('with'), plain(' SummaryWriter('), quiet(run), plain(') '), strong('as'), plain(' writer:')],
      [plain('    '), strong('for'), plain(' step, loss '), strong('in'), plain(' enumerate(losses):')],
      [plain('        writer.'), strong('add_scalar'), plain('('), quiet('"loss"'), plain(', loss, step)')],
    ]
  }
  return [[plain('mindinsight start '), strong('--summary-base-dir'), plain(' '), quiet('path/to/your/runs')]]
}

/** The code as it is copied. */
export function snippetText(lines: readonly Line[]): string {
  return lines.map((line) => line.map((piece) => piece.text).join('')).join('\n')
}
