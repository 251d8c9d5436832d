/** What a thread's event means. */

/** Its operation is complete, or it is at the head of a spin loop again. */
export const COMPLETE = 0;
/** It has the cache line that it waited for, and its operation is complete. */
export const ARRIVE = 1;
/** It has its processor. */
export const BEGIN = 2;
/** Its wait for a word is over. */
export const TIMEOUT = 3;
/** Its sleeping section is over. */
export const AWAKE = 4;
