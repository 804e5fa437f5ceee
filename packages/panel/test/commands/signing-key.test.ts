import { expectFailure, useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
import { expect, it } from 'vitest';

const { steward } = useCommandLine();

it('steward signing-key replaces the key in two steps', async () => {
  expect((await steward('signing-key', 'retire')).stdout).toMatch(
    /There is no previous key to retire/,
  );
  const { stdout } = await steward('signing-key', 'rotate');
  expect(stdout).toMatch(/New public key: [\w+/]{43}=\n/);
  expectFailure(await steward('signing-key', 'rotate'), /Retire it first/);
  expect((await steward('signing-key', 'retire')).stdout).toMatch(/The previous key is retired/);
});
