import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { describe, expect, it } from 'vitest';
import { openBackupWriter } from './backup-writer.ts';

describe('the writer of a backup', () => {
  const openIn = (folder: string, replaces: boolean) =>
    openBackupWriter(join(folder, 'panel.tar'), { now: new Date(), replaces });

  it.each([false, true])('names the missing partial file (replaces: %s)', async (replaces) => {
    const folder = temporaryFolder();
    const writer = await openIn(folder, replaces);
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    await expect(writer.publish()).rejects.toThrow(
      'Another process removed the partial file. No backup was created.',
    );
    await writer.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([false, true])('refuses a folder as the file (replaces: %s)', async (replaces) => {
    const folder = temporaryFolder();
    const opening = openBackupWriter(folder, { now: new Date(), replaces });
    await expect(opening).rejects.toThrow(`${folder} is a folder. Name a file in it, such as`);
    expect(readdirSync(dirname(folder)).filter((name) => name.includes('.partial-'))).toEqual([]);
  });

  it('names a missing folder, before and after the file was opened', async () => {
    const folder = join(temporaryFolder(), 'missing');
    const error = `The folder ${folder} does not exist. Create it first.`;
    await expect(openIn(folder, false)).rejects.toThrow(error);
    const removed = temporaryFolder();
    const writer = await openIn(removed, false);
    rmSync(removed, { recursive: true });
    await expect(writer.publish()).rejects.toThrow(`The folder ${removed} does not exist.`);
    await writer.discard();
  });
});
