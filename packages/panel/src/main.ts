#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=50 --enable-source-maps
import { runCommand } from './commands/run-command.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Ignored: the reader of a pipe may close it (`steward license list | head -1`), even while the panel runs.
  // After any other error the output, perhaps a key, is lost.
  if (error.code === 'EPIPE') return;
  process.stderr.write(`steward: Could not write the output: ${error.message}\n`);
  process.exit(1);
});
process.exitCode = await runCommand(process.argv.slice(2), process);
