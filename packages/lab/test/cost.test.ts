import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile, GROUPS } from '../dist/cost/variants.js';

for (const { title, baseline, variants } of GROUPS) {
  for (const variant of [baseline, ...variants]) {
    test(`${title}: ${variant.name} leaves the lock as it was`, async () => {
      const loop = compile(variant);
      // A hold that is not given back would block or fail the second time.
      await loop(100);
      assert.equal(typeof (await loop(100)), 'number');
    });
  }
}
