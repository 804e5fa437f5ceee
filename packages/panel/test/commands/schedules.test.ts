import { registerSecret } from '@steward/testkit/logs.ts';
import { expectFailure, useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
import { expect, it } from 'vitest';

const { steward, json } = useCommandLine();

async function createUser(email: string, role: string): Promise<string> {
  const { password } = await json('user', 'create', '--email', email, '--role', role);
  registerSecret(password);
  return email;
}

it('npx steward schedule adds, lists and deletes schedules', async () => {
  expect((await steward('schedule', 'list')).stdout).toMatch(/^No schedules yet/);
  const user = await createUser('owner@example.com', 'owner');
  const base = ['--name', 'Weekly', '--user', user, '--from', '02:00', '--to', '05:00'];
  const add = (...args: string[]) => steward('schedule', 'add', ...base, ...args);
  const { stdout } = await add('--days', 'Tue,fri', '--zone', 'Europe/Berlin', '--tag', 'shop');
  expect(stdout).toMatch(
    /^Added schedule 1, Weekly: tue,fri 02:00-05:00 \(Europe\/Berlin\)\. Next window: 20\d\d-\d\d-\d\d 02:00 \(Europe\/Berlin\)\.\n$/,
  );
  expect(await json('schedule', 'list')).toMatchObject([
    { schedule_id: 1, name: 'Weekly', weekdays: [2, 5], selection: { tag: 'shop' } },
  ]);
  expect((await steward('schedule', 'list')).stdout).toMatch(
    /1 +Weekly +\S.* tag=shop +plugin,theme/,
  );

  expectFailure(await add(), /Use one of --days and --on/);
  expectFailure(await add('--days', 'someday'), /daily, or a list of mon/);
  expectFailure(await add('--days', 'tue', '--zone', 'Mars/Olympus'), /Unknown time zone: Mars/);
  expectFailure(await add('--days', 'tue', '--to', '25:00'), /--to.*It must be a time from 00:00/);
  expectFailure(await add('--days', 'tue', '--from', '2'), /--from.*such as 02:00/);
  expectFailure(await add('--on', 'tomorrow'), /--on.*It must be a day, such as 2027-01-31/);
  expectFailure(
    await add('--days', 'tue', '--items', 'shop'),
    /--items.*plugin:shop,theme:storefront,core/,
  );
  const unknown = await add('--days', 'tue', '--items', 'core,plugin:shop');
  expectFailure(
    unknown,
    /No site has the plugin shop\. Find its slug with: npx steward plugin list/,
  );
  const viewer = await createUser('viewer@example.com', 'viewer');
  expectFailure(await add('--days', 'tue', '--user', viewer), /may not update sites/);

  expect((await steward('schedule', 'delete', '1')).stdout).toBe('Deleted schedule 1, Weekly.\n');
  expectFailure(await steward('schedule', 'delete', '1'), /There is no such schedule/);
});
