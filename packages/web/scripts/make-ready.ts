import { makeScreensReady } from './ready.ts';

await makeScreensReady((line) => process.stdout.write(`${line}\n`));
