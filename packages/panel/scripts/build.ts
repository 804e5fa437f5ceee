import { relative } from 'node:path';
import { ensurePanelBuilt, STEWARD_BUILD } from './ready.ts';

await ensurePanelBuilt();
process.stdout.write(`${relative(process.cwd(), STEWARD_BUILD)}\n`);
