import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lostWrites, makeWitness, WITNESS_BYTES } from '../dist/bench/witness.js';

const newWords = () => new Int32Array(WITNESS_BYTES / 4);

test('sections one after the other are no violation', () => {
  const words = newWords();
  const witness = makeWitness(words, () => {});
  for (let i = 0; i < 100; i++) {
    witness.insideWrite();
    witness.insideRead();
  }
  assert.equal(witness.violations(), 0);
  assert.equal(lostWrites(words, 100), 0);
});

test('readers inside one another are no violation', () => {
  const words = newWords();
  const inner = makeWitness(words, () => {});
  const outer = makeWitness(words, () => inner.insideRead());
  outer.insideRead();
  assert.equal(outer.violations() + inner.violations(), 0);
});

test('a writer inside a reader is seen by the reader', () => {
  const words = newWords();
  const writer = makeWitness(words, () => {});
  const reader = makeWitness(words, () => writer.insideWrite());
  reader.insideRead();
  assert.equal(reader.violations(), 1);
});

test('a reader inside a writer is seen by the reader', () => {
  const words = newWords();
  const reader = makeWitness(words, () => {});
  const writer = makeWitness(words, () => reader.insideRead());
  writer.insideWrite();
  assert.equal(reader.violations(), 1);
});

test('a writer inside a writer is seen by both', () => {
  const words = newWords();
  const inner = makeWitness(words, () => {});
  const outer = makeWitness(words, () => inner.insideWrite());
  outer.insideWrite();
  assert.equal(inner.violations(), 1);
  assert.equal(outer.violations(), 1);
});

test('a lost write is missing from the sum, and the words may wrap around', () => {
  const words = newWords();
  const witness = makeWitness(words, () => {});
  witness.insideWrite();
  assert.equal(lostWrites(words, 2), 1);
  words.fill(0x7fffffff, 0, 2);
  witness.insideWrite();
  assert.equal(witness.violations(), 0);
  assert.equal(lostWrites(words, 2 ** 31), 0);
});
