import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import vectors from '../vectors/call-log.json' with { type: 'json' };
import { CALL_LOG_START, CallLogEntry, loggedCallText } from './index.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

it('computes the hash chain of the test vectors', () => {
  expect(CALL_LOG_START).toBe(vectors.start);
  let previous = vectors.start;
  for (const { body, text, hash, ...call } of vectors.entries) {
    expect(call.body_sha256).toBe(sha256(body));
    expect(loggedCallText(previous, call)).toBe(text);
    expect(sha256(text)).toBe(hash);
    previous = hash;
  }
});

it('has entries with the fields of the test vectors', () => {
  for (const { body, text, ...entry } of vectors.entries) {
    const fields = Object.keys(CallLogEntry.properties).toSorted();
    expect(fields).toEqual(Object.keys(entry).toSorted());
  }
});
