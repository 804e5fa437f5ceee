import { describe, expect, it } from 'vitest';
import { describeRuntimeVersion, parseRuntime } from './runtime.ts';

describe('the runtime of a site', () => {
  it.each([
    ['8.3.11', { name: 'PHP', version: '8.3.11' }, '8.3.11'],
    ['node-24.1.0', { name: 'Node', version: '24.1.0' }, 'Node 24.1.0'],
    ['node-', { name: 'PHP', version: 'node-' }, 'node-'],
  ])('of php_version %s', (phpVersion, runtime, inColumn) => {
    expect(parseRuntime(phpVersion)).toEqual(runtime);
    expect(describeRuntimeVersion(phpVersion)).toBe(inColumn);
  });
});
