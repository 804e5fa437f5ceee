import { join } from 'node:path';
import { run } from '@steward/testkit/command.ts';
import { describe, expect, it } from 'vitest';
import { newerThanPhp74 } from '../scripts/newer-than-php-74.ts';
import { parsePhp74 } from '../scripts/php-source.ts';
import {
  PLUGIN_FOLDER,
  phpFiles,
  projectVersion,
  readHeaderField,
  readPluginFile,
} from '../scripts/plugin-files.ts';

const NEWER_THAN_PHP_74: Record<string, string> = {
  match: '$a = match ( $b ) { 1 => 2, default => 3 };',
  'the nullsafe operator': '$a?->b;',
  'the nullsafe operator in a string': '$a = "{$b?->c}";',
  'an enum': 'enum A { case B; }',
  'a readonly property': 'class A { public readonly int $b; }',
  'a readonly class': 'readonly class A {}',
  'constructor promotion': 'class A { public function __construct( private int $b ) {} }',
  'named arguments': 'f( a: 1 );',
  'a union type of a parameter': 'function f( int|string $a ) {}',
  'a union return type': 'function f(): int|string {}',
  'a union type of a property': 'class A { private int|string $b; }',
  'an intersection type': 'function f( A&B $a ) {}',
  'an attribute': '#[X]\nfunction f() {}',
  'an attribute of a parameter': 'function f( #[X] $a ) {}',
  'the type mixed': '$f = static fn(): mixed => 1;',
  'the type mixed of a parameter': 'function f( mixed $a ) {}',
  'the type static': 'class A { public function f(): static {} }',
  'the type never': 'function f(): never {}',
  'the type false': 'function f(): false {}',
  'a throw expression': '$a = $b ?? throw new \\Exception();',
  'a throw expression in an arrow function': '$f = fn() => throw new \\Exception();',
  'a trailing comma in a parameter list': 'function f( $a, ) {}',
  "a trailing comma in a closure's parameter list": '$f = function ( $a, ) {};',
  "a trailing comma in a closure's use": '$f = function () use ( $a, ) {};',
  'a catch without a variable': 'try { f(); } catch ( \\Exception ) {}',
  'a first-class callable': '$f = strlen( ... );',
  'new as a default': 'function f( $a = new A() ) {}',
  '::class of an object': '$a = $b::class;',
  'an octal number with 0o': '$a = 0o17;',
  'a final constant': 'class A { final const B = 1; }',
  'a typed constant': 'class A { const int B = 1; }',
  'a constant in a trait': 'trait A { const B = 1; }',
  'a PHP 8 function without a polyfill in WordPress 5.9': 'array_is_list( [] );',
};

const VALID_IN_PHP_74 = `
/** Typed properties, arrow functions, spreading, ??=. */
abstract class A implements B {
  const MATCH = 1;
  private ?int $count = null;
  public static function match( ?array &$a, int ...$b ): ?self { return null; }
  abstract protected function enum( string $readonly = self::MATCH ): void;
}
$f = static fn( int $a ): int => $a * 1_000;
$a ??= [ ...$b, 'x' => A::class, 'y' => static::class ];
f( A|B, $c ? d( $e, ) : g, str_contains( 'a', 'b' ) );
try { f(); } catch ( A | B $error ) { throw $error; }
# A comment.
`;

describe('newerThanPhp74', () => {
  for (const [what, code] of Object.entries(NEWER_THAN_PHP_74)) {
    it(`rejects ${what}`, () => {
      expect(newerThanPhp74(`<?php\n${code}\n`)).not.toBeNull();
    });
  }

  it('accepts the syntax of PHP 7.4', () => {
    expect(newerThanPhp74(`<?php\n${VALID_IN_PHP_74}`)).toBeNull();
  });

  it('rejects invalid PHP', () => {
    expect(newerThanPhp74('<?php function (')).not.toBeNull();
  });
});

describe('Steward plugin', () => {
  it('uses only syntax and functions of PHP 7.4', () => {
    const newer = phpFiles().map((path) => [path, newerThanPhp74(readPluginFile(path), path)]);
    expect(newer.length).toBeGreaterThan(0);
    expect(newer.filter(([, reason]) => reason !== null)).toEqual([]);
  });

  it('has no syntax errors in the installed PHP', async () => {
    const checks = phpFiles().map((path) => run('php', ['-l', join(PLUGIN_FOLDER, path)]));
    await expect(Promise.all(checks)).resolves.toBeDefined();
  });

  it('does nothing when a file is requested directly', () => {
    const unguarded = phpFiles().filter((path) => firstStatement(path) !== expectedGuard(path));
    expect(unguarded).toEqual([]);
  });

  it('has the version of the project everywhere', () => {
    const main = readPluginFile('steward.php');
    const stated = {
      header: readHeaderField(main, 'Version'),
      constant: /^const VERSION\s*= '(.+)';$/m.exec(main)?.[1],
      'readme.txt': /^Stable tag:\s*(\S+)$/m.exec(readPluginFile('readme.txt'))?.[1],
    };
    const version = projectVersion();
    expect(stated).toEqual({
      header: version,
      constant: version,
      'readme.txt': version,
    });
  });
});

function expectedGuard(path: string): string {
  const constant = path === 'uninstall.php' ? 'WP_UNINSTALL_PLUGIN' : 'ABSPATH';
  return `defined( '${constant}' ) || exit;`;
}

/** The first statement that runs code, without declarations. */
function firstStatement(path: string): string | undefined {
  const declaring = ['program', 'namespace', 'declare', 'declaredirective', 'usegroup', 'useitem'];
  const { code, nodes } = parsePhp74(readPluginFile(path), path);
  const first = nodes.find(({ kind }) => !declaring.includes(kind));
  return first && code.slice(first.loc.start.offset, first.loc.end.offset);
}
