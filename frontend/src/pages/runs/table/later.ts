/** What the table does once it is drawn, as one file that the first page does not wait for. */
export { watchSideways } from '../../../components/lists/sideways'
export { usePlannedSteps } from './planned'
