import eslint from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import jest from 'eslint-plugin-jest';
import node from 'eslint-plugin-n';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import redos from 'eslint-plugin-redos';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const PACKAGE_CODE = ['nodes/**/*.ts', 'credentials/**/*.ts'];
const DEV_CODE = ['dev/**/*.ts', 'test/**/*.ts', 'jest.config.js', 'gulpfile.js', '*.mjs'];

/** Not mended yet: this list is to become empty. */
const NOT_YET_NARROW = [
	'nodes/DocumentExtraction/*.ts',
	'nodes/DocumentExtraction/{actions,methods,rows,waiting}/**',
	'nodes/DocumentExtraction/service/documents.ts',
	'test/operations/waiting*',
];

/** The name that a call begins with: `it` for `it(…)`, `it.each(…)(…)` and `it.only.each(…)(…)`. */
function firstName({ type, name, object, callee, tag }) {
	return type === 'Identifier'
		? name
		: firstName(object ?? callee ?? tag ?? { type: 'Identifier' });
}

/** `max-lines-per-function` would count what `describe` is given, too, and every helper. */
const shortTests = {
	meta: {
		type: 'suggestion',
		schema: [{ type: 'integer' }],
		messages: { long: 'This test has {{lines}} lines. A test has at most {{most}}: split it.' },
	},
	create(context) {
		const [most] = context.options;
		return {
			CallExpression({ callee, arguments: given }) {
				if (!['it', 'test'].includes(firstName(callee))) return;
				for (const argument of given) {
					const lines = argument.loc.end.line - argument.loc.start.line + 1;
					if (!argument.type.includes('Function') || lines <= most) continue;
					context.report({ node: argument, messageId: 'long', data: { lines, most } });
				}
			},
		};
	},
};

const rulesOf = (name) => n8nNodesBase.configs[name].rules;

export default defineConfig(
	globalIgnores(['**/node_modules/', 'dist/', '**/.cache/', 'coverage/']),
	{ linterOptions: { reportUnusedDisableDirectives: 'error' } },
	{
		files: ['**/*.ts', '**/*.mjs', '**/*.js'],
		extends: [eslint.configs.recommended],
	},
	{
		files: ['**/*.ts'],
		extends: [tseslint.configs.recommended],
		rules: {
			'@typescript-eslint/consistent-type-imports': [
				'error',
				{ fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
			],
		},
	},
	{
		files: ['package.json'],
		extends: [n8nCommunityNodesPlugin.configs.recommended],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		languageOptions: {
			parser: tseslint.parser,
			parserOptions: { extraFileExtensions: ['.json'] },
		},
		rules: rulesOf('community'),
	},
	{
		files: PACKAGE_CODE,
		extends: [n8nCommunityNodesPlugin.configs.recommended],
		plugins: { 'n8n-nodes-base': n8nNodesBase, redos },
		// n8n's scanner does not honour inline disables, so none may hide anything from us either.
		linterOptions: { noInlineConfig: true },
		rules: {
			'no-console': 'error',
			// A text from outside must not hold n8n up: a pattern's time may grow only linearly with the text.
			'redos/no-vulnerable': ['error', { ignoreErrors: false, timeout: 60_000 }],
			'@typescript-eslint/no-restricted-imports': [
				'error',
				...['undici', 'axios', 'n8n-core', 'form-data'].map((name) => ({
					name,
					message: "All traffic of the node goes through n8n's own HTTP helpers.",
				})),
			],
			'no-restricted-globals': [
				'error',
				...['fetch', 'XMLHttpRequest', 'WebSocket'].map((name) => ({
					name,
					message: "n8n's HTTP helpers know its proxy, its SSRF guard and Stop; this does not.",
				})),
			],
		},
	},
	{ files: ['nodes/**/*.ts'], rules: rulesOf('nodes') },
	{ files: ['credentials/**/*.ts'], rules: rulesOf('credentials') },
	{
		files: PACKAGE_CODE,
		// The rules that n8n's own scanner switches off too: they contradict today's conventions.
		rules: {
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
	{
		files: DEV_CODE,
		plugins: { n: node },
		rules: {
			...node.configs['flat/recommended-module'].rules,
			'n/no-unpublished-import': 'off',
			'n/no-unpublished-require': 'off',
			// TypeScript resolves imports, and knows more of them than this rule.
			'n/no-missing-import': 'off',
			// The root installs them.
			'n/no-extraneous-import': [
				'error',
				{ allowModules: ['n8n-workflow', 'fast-check', 'undici'] },
			],
			'n/no-unsupported-features/node-builtins': [
				'error',
				{ version: '^20.20 || >=22', allowExperimental: true },
			],
			// Command-line tools end with a status.
			'n/no-process-exit': 'off',
		},
	},
	{
		files: ['dev/**/*.ts'],
		rules: {
			'no-restricted-globals': [
				'error',
				...['test', 'it', 'describe', 'expect', 'beforeEach', 'afterEach'].map((name) => ({
					name,
					message: "This is Jest's. These files share its types, but run without it.",
				})),
			],
		},
	},
	{
		files: ['*.js'],
		languageOptions: {
			sourceType: 'commonjs',
			globals: node.configs['flat/recommended-script'].languageOptions.globals,
		},
	},
	{
		files: ['**/*.mjs'],
		languageOptions: { globals: node.configs['flat/recommended-module'].languageOptions.globals },
	},
	{
		files: ['test/**/*.ts'],
		extends: [jest.configs['flat/recommended']],
		plugins: { own: { rules: { 'short-tests': shortTests } } },
		rules: { 'own/short-tests': ['error', 60] },
	},
	{
		files: [...PACKAGE_CODE, 'dev/**/*.{ts,mjs}', 'test/**/*.{ts,mjs}'],
		ignores: NOT_YET_NARROW,
		// Strings count as well: a long one is an array of sentences, joined by a space.
		rules: {
			'max-len': [
				'error',
				{
					code: 110,
					tabWidth: 2,
					ignoreUrls: true,
					ignorePattern: String.raw`^(?:import|\} from)\b`,
				},
			],
		},
	},
);
