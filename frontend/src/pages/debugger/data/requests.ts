/**
 * Questions over HTTP about a session (mindinsight/debugger/api.md): its nodes, and values that a tensor's view reads.
 */
import { api, ask } from '../../../data/api'
import { program, type Program, type TensorName } from './messages'
import { tensorRow, type TensorRow } from './rows'

/** @throws ApiProblem as `ask` does */
export async function askProgram(session: string, signal: AbortSignal): Promise<Program> {
  return program(
    await ask(api.GET('/api/debugger/sessions/{key}/program', { params: { path: { key: session } }, signal })),
  )
}

/**
 * Makes sure that the values of a tensor come.
 * @returns where they are, or how far they have come
 * @throws ApiProblem as `ask` does
 */
export async function wantTensor(
  session: string,
  { full_name, slot, iteration }: TensorName,
  previous: boolean,
): Promise<TensorRow> {
  return tensorRow(
    await ask(
      api.POST('/api/debugger/sessions/{key}/tensors', {
        params: { path: { key: session } },
        body: { full_name, slot, iteration, previous },
      }),
    ),
  )
}
