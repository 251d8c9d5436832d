/**
 * The programs that mutants are tried on: few, and the quick ones first. Each line is compiled as a whole, and
 * is left out for a mutant that makes no difference to its steps.
 */
export interface Stage {
  mode: string;
  programs: readonly string[];
}

const stage = (mode: string, ...programs: string[]): Stage => ({ mode, programs });

export const BATTERY: readonly Stage[] = [
  stage('', 'read | write', 'read | timedWrite', 'timedRead | write', 'read | write | write', 'read | read | write'),
  stage('', 'tryRead | write', 'nestedRead | write', 'timedNestedRead | write', 'asyncInRead | write', 'probe | write', 'nestedRead | write | read'),
  stage('alone', 'any/anyNested...', 'any/anyNested/anyAsync/anyPair...'),
  stage('alone readers:1', 'any...'),
  stage('alone owner', 'any...'),
  stage('ready', 'abortWrite | read', 'tryRead | read', 'asyncRead+asyncRead | write'),
  stage('handoff:due ready', 'timedWriteInWrite'),
  stage('handoff:off', 'write | write', 'read | write | write'),
  stage('handoff:not-yet', 'write | write', 'timedRead | write', 'read | timedWrite', 'read | write | write'),
  stage('handoff:off one-core', 'write write | read', 'write | write | read'),
  stage('spin patient ready', 'spinTurn... | spinTurn...', 'spinTurn | spinTurn | spinTurn'),
  stage('spin ready', 'spinTurn... | spinTurn...', 'spinTurn | spinTurn | spinTurn', 'write | write'),
  stage('bounded', 'write | write', 'read | timedWrite'),
  stage('one-core bounded', 'write | write', 'read | timedWrite'),
  stage('spin impatient bounded', 'write | write', 'read | write', 'timedWrite | write', 'spinTurn... | spinTurn...', 'spinTurn | spinTurn | spinTurn'),
  stage('spin owner impatient bounded by-clock', 'write | write', 'spinTurn... | spinTurn...'),
  stage('wait-lock bounded', 'read | write', 'read | timedWrite'),
  stage('wait-lock no-park ready', 'read | write', 'read | timedWrite'),
  stage('handoff:off no-reader-steal fair', 'write | read*', 'write | read* | read*'),
  stage('spin', 'write | write', 'read | write', 'read | write | write'),
  stage('wait-lock', 'read | write', 'read | timedWrite', 'read | write | write'),
  stage('handoff:due', 'timedRead | write', 'read | timedWrite', 'timedWrite | write', 'write | write | write'),
  stage('one-core', 'downgrade | read | write', 'read | timedWrite | write', 'timedRead | write | write', 'read | timedWrite | timedWrite'),
  stage('', 'asyncRead | write', 'asyncWrite | read', 'abortWrite | read', 'abortWrite | read | write', 'asyncRead+asyncWrite | write'),
  stage('grant', 'read | write', 'write | write', 'read | write | write', 'asyncWrite | read | write'),
  stage('spurious', 'read | write', 'write | timedWrite', 'read | write | write'),
  stage('batch:1', 'read | read | write', 'nestedRead | read | write', 'timedNestedRead | read | write', 'asyncInRead | write | write', 'asyncRead+asyncRead | write | write'),
  stage('readers:1', 'read | read', 'tryRead | tryRead', 'tryRead | read', 'timedRead | read', 'asyncRead | read', 'probe | read', 'read | write', 'tryRead | read | read', 'asyncRead | write tryRead'),
  stage('readers:3', 'asyncRead | write read', 'read | write | read', 'asyncRead+asyncRead | asyncRead+asyncRead | write'),
  stage('owner', 'read | write', 'write write | read', 'read read | write', 'read | write | write', 'any... | any...'),
  stage('spin owner split', 'write | write', 'read | write'),
  stage('owner split', 'read read | write', 'any... | write'),
  stage('handoff:now', 'read | timedWrite | write', 'write | write | write'),
  stage('handoff:now fair', 'write | write*', 'write | read*', 'write | read* | read*', 'write | timedRead* | timedRead*', 'write | write* | write*', 'read | write* | write*'),
  stage('handoff:due one-core fair', 'write | write*', 'write | read* | read*', 'write | write* | write*'),
  stage('handoff:off one-core fair', 'urgentWrite | write*', 'urgentWrite | read* | read*', 'urgentRead | write | write*'),
  stage('one-core bypass', 'write | read... | read...', 'write | tryRead... | tryRead...', 'write | write... | read...'),
  stage('batch:1', 'timedNestedRead | timedWrite | asyncRead+asyncRead'),
  stage('one-core', 'asyncWrite | write... | write...'),
  stage('spin ready', 'read | write | write'),
  stage('delayed', 'read | write', 'read | timedWrite', 'timedRead | write', 'write | write', 'asyncRead+asyncRead | write'),
  stage('delayed spin owner', 'write | write', 'read | write'),
  stage('split', 'read/write/timedWrite... | read/write/timedRead...', 'asyncRead+asyncRead | write', 'tryRead | write'),
  stage('one-core', 'any... | any...'),
  stage('one-core', 'anyNested... | any...'),
  stage('', 'asyncRead+asyncRead | write | read', 'abortWrite+abortRead | read', 'asyncWrite+asyncWrite | write', 'asyncInRead | write | write', 'read read | asyncWrite | write', 'probe | read | write', 'write | nestedRead | write'),
  stage('one-core', 'any/anyAsync... | any/anyAsync...'),
  stage('spin patient ready', 'spinTurn | spinTurn | spinTurn | spinTurn', 'spinTurn spinTurn | spinTurn spinTurn | spinTurn'),
  stage('spin ready', 'spinTurn... | spinTurn... | spinTurn'),
  stage('spin impatient', 'write | write | write', 'spinTurn... | spinTurn... | spinTurn'),
  stage('spin', 'timedWrite | timedWrite | write', 'any... | read/write...'),
  stage('any-owner', 'any... | write...'),
];
