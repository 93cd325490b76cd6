import { describe, expect, it } from 'vitest'

import { mainTag, standardPins } from './mainTags'

const TAGS = ['accuracy/val', 'grad_norm', 'loss', 'loss_scale', 'loss/val', 'train/loss9', 'train/loss10', 'train/lr']

describe('the large chart', () => {
  it.each([
    [TAGS, 'loss'],
    [['acc', 'Loss/auto', 'train/loss'], 'Loss/auto'],
    [['a_loss', 'train/loss', 'LOSS'], 'LOSS'],
    // The training's own loss comes before other losses, even those with shorter names.
    [['b_loss', 'eval/loss', 'training/loss_auto'], 'training/loss_auto'],
    [['a/loss', 'loss_train'], 'loss_train'],
    [['a/loss', 'train1/loss/train'], 'train1/loss/train'],
    [['a/loss', 'x_train/loss'], 'a/loss'],
    [['a/loss', 'loss/train/2'], 'a/loss'],
    // Among other losses the shortest name; among equal ones the first.
    [['eval/loss', 'lr', 'x_loss', 'y_loss'], 'x_loss'],
    [['eval/loss', 'lr'], 'eval/loss'],
    [['loss_scale', 'lr'], 'lr'],
    // Without a loss, the first of the shortest names.
    [['glossary', 'abc', 'b', 'c', 'loss_scale'], 'b'],
    [['a', 'b', 'glossary'], 'a'],
    [[], undefined],
  ])('of %j is %s', (tags, main) => expect(mainTag(tags)).toBe(main))
})

it('takes the loss that most runs recorded, among losses of one kind', () => {
  const runs: Record<string, number> = { loss: 1, 'loss/auto': 8, 'eval/loss': 12 }
  expect(mainTag(Object.keys(runs), (tag) => runs[tag])).toBe('loss/auto')
})

describe('what is pinned while nobody has pinned anything', () => {
  it.each([
    ['the loss, scores, other losses', TAGS, 3, ['loss', 'accuracy/val', 'loss/val']],
    ['no more than there is room for', TAGS, 1, ['loss']],
    ['nothing of nothing', [], 3, []],
    [
      'then whatever comes first',
      ['apples', 'ab', 'eval/f1', 'glossary', 'lap/time', 'x/Loss'],
      5,
      ['x/Loss', 'eval/f1', 'apples', 'ab', 'glossary'],
    ],
    [
      'scores before losses',
      ['a/loss', 'b/loss', 'c/acc', 'd/loss_acc'],
      9,
      ['a/loss', 'c/acc', 'd/loss_acc', 'b/loss'],
    ],
    ['never what add_hparams wrote', ['hparam/acc', 'hparam/loss', 'lr'], 3, ['lr']],
    ['the shortest name without a loss', ['long', 'lr', 'mAP'], 2, ['lr', 'mAP']],
  ])('is %s', (_what, tags, count, pins) => expect(standardPins(tags, count)).toEqual(pins))

  it('puts scores and losses of most runs first', () => {
    const runs: Record<string, number> = { acc: 1, 'loss/train': 3, 'loss/val': 5, 'val/acc': 7 }
    const pins = standardPins(Object.keys(runs), 4, (tag) => runs[tag])
    expect(pins).toEqual(['loss/train', 'val/acc', 'acc', 'loss/val'])
  })
})
