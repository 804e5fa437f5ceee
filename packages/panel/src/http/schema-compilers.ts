import AjvCompiler from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';

/** Ajv keeps the validators that it has compiled, so all apps of this process share one instance. */
const buildValidator = AjvCompiler();

type SerializerFactory = ReturnType<typeof SerializerSelector>;
type SerializerCompiler = ReturnType<SerializerFactory>;
type Serializer = ReturnType<SerializerCompiler>;

const selectSerializer = SerializerSelector();
const serializers = new WeakMap<object, Serializer>();

const buildSerializer: SerializerFactory = (...options) => {
  const compile = selectSerializer(...options);
  return (route) => {
    const schema = route.schema as object;
    const serializer = serializers.get(schema) ?? compile(route);
    serializers.set(schema, serializer);
    return serializer;
  };
};

/** Compiles each schema once: many routes share schemas, for example those of errors. */
export const schemaCompilers = { buildValidator, buildSerializer };
