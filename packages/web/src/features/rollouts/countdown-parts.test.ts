import { expect, it } from 'vitest';
import { rolloutMessages } from '../../messages/rollouts.ts';
import { countdownParts } from './countdown-parts.ts';

const describeAfter = (seconds: number) => {
  const parts = countdownParts(seconds * 1000, 0);
  return parts && rolloutMessages.flow.countdown(parts);
};

it.each([
  [2 * 86_400 + 3 * 3600 + 59 * 60, '2 d 03 h'],
  [3600 + 5 * 60 + 9, '1 h 05 min'],
  [12 * 60 + 5, '12 min 05 s'],
  [59, '0 min 59 s'],
  [0.2, '0 min 01 s'],
  [0, null],
  [-5, null],
])('counts %s seconds down as %j', (seconds, expected) => {
  expect(describeAfter(seconds)).toBe(expected);
});
