/** Random programs of acquisitions, releases and aborts on one event loop. */
import * as fc from 'fast-check';
import type { Mode } from './stress-model.ts';

export type Form = 'async' | 'with' | 'try';
type Yield = 'none' | 'microtask' | 'immediate';

/** `which` picks, modulo their number, one of the acquisitions that the command makes sense for. */
export type Command = { after: Yield } & (
  | { do: 'acquire'; lock: number; mode: Mode; form: Form; timeout: 'none' | 'zero' | 'large'; signal: 'none' | 'live' | 'aborted'; urgent: boolean }
  | { do: 'release' | 'release again' | 'downgrade' | 'abort'; which: number }
);

const afterwards = fc.constantFrom<Yield>('none', 'none', 'none', 'microtask', 'immediate');
const which = fc.nat({ max: 40 });
const acquire = (urgent: fc.Arbitrary<boolean>): fc.Arbitrary<Command> =>
  fc.record({
    do: fc.constant('acquire' as const),
    lock: fc.nat({ max: 1 }),
    mode: fc.constantFrom<Mode>('read', 'write'),
    form: fc.constantFrom<Form>('async', 'async', 'with', 'try'),
    timeout: fc.constantFrom('none' as const, 'none' as const, 'none' as const, 'large' as const, 'zero' as const),
    signal: fc.constantFrom('none' as const, 'live' as const, 'live' as const, 'live' as const, 'aborted' as const),
    urgent,
    after: afterwards,
  });
const other = fc.record({ do: fc.constantFrom('release', 'release', 'release', 'release again', 'downgrade', 'abort', 'abort'), which, after: afterwards }) as fc.Arbitrary<Command>;
export const program = (urgent: fc.Arbitrary<boolean>): fc.Arbitrary<Command[]> =>
  fc.array(fc.oneof({ weight: 1, arbitrary: acquire(urgent) }, { weight: 1, arbitrary: other }), { maxLength: 60, size: 'max' });
