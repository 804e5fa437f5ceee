import { ensureScreensBuilt } from './ready.ts';

await ensureScreensBuilt((line) => process.stdout.write(`${line}\n`));
