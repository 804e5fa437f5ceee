import AjvCompiler from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import { createTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { expect, it, onTestFinished, vi } from 'vitest';
import { schemaCompilers } from '../../src/http/schema-compilers.ts';

/** The panel compiles a schema at its first use, so its start does not find a wrong one. */
it('the schemas of all routes compile', async () => {
  const compileValidator = AjvCompiler();
  const compileSerializer = SerializerSelector();
  const compiled = { validators: 0, serializers: 0 };
  const { buildValidator, buildSerializer } = schemaCompilers;
  const validators = vi
    .spyOn(schemaCompilers, 'buildValidator')
    .mockImplementation((...options) => {
      const compile = compileValidator(...options);
      const useLater = buildValidator(...options);
      return (route) => {
        compile(route);
        compiled.validators++;
        return useLater(route);
      };
    });
  const serializers = vi
    .spyOn(schemaCompilers, 'buildSerializer')
    .mockImplementation((...options) => {
      const compile = compileSerializer(...options);
      const useLater = buildSerializer(...options);
      return (route) => {
        compile(route);
        compiled.serializers++;
        return useLater(route);
      };
    });
  onTestFinished(() => {
    validators.mockRestore();
    serializers.mockRestore();
  });
  const panel = await createTestPanel();
  onTestFinished(() => panel.close());
  await panel.app.ready();
  expect(compiled.validators).toBeGreaterThan(100);
  expect(compiled.serializers).toBeGreaterThan(100);
});
