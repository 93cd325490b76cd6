/** Questions over HTTP about a session (mindinsight/debugger/api.md): its nodes, and values that a tensor's view reads. */
import { api, ask } from '../../../data/api'
import { program, type Program, type TensorName } from './messages'
import { tensorRow, type TensorRow } from './rows'

type Asked = (path: string, options: object) => Promise<{ data?: object; error?: unknown; response: Response }>

/** @throws ApiProblem as `ask` does */
export async function askProgram(session: string, signal: AbortSignal): Promise<Program> {
  const get = api.GET as unknown as Asked
  return program(await ask(get('/api/debugger/sessions/{session}/program', { params: { path: { session } }, signal })))
}

/**
 * Makes sure that the values of a tensor come.
 * @returns where they are, or how far they have come
 * @throws ApiProblem as `ask` does
 */
export async function wantTensor(session: string, { full_name, slot, iteration }: TensorName, previous: boolean): Promise<TensorRow> {
  const post = api.POST as unknown as Asked
  return tensorRow(await ask(post('/api/debugger/sessions/{session}/tensors', { params: { path: { session } }, body: { full_name, slot, iteration, previous } })))
}
