/** What users of locks run into, and the right outcome of each, numbered 1 to 24. */
import './scenarios/process.ts';
import './scenarios/giving-up.ts';
import './scenarios/holding.ts';
import './scenarios/granting.ts';
import './scenarios/spaces.ts';
