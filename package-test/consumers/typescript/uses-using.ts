/** `using`, as compilers since 5.2 lower it. */
import { RwSem } from 'rwsem';

export function twice(lock: RwSem): boolean {
  using reading = lock.read();
  return reading.held;
}
