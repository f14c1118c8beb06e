/** The JSON bodies of operations, as templates for the user to complete. */
import { jsonBodySchemas, type Operation } from '../operations';
import { bodyTemplates } from '../template';
import { endpointText } from './endpoints';
import { MOST_LISTED, named, type Finding } from './found';
import type { Reference } from './reference';

/** The names in a body that the interface fixes (§2), besides the document's own. */
export const UPLOAD_NAMES = new Set(['workflow_id', 'collection_id', 'collection_name']);

/** What stands in angle brackets is not for the service. */
export const COMPLETE =
	'Replace each text in angle brackets, including the brackets, with a placeholder or a value.';

/** @param placeholders names that the templates fill in with the placeholder of that name */
export function bodies(
	{ document, reader }: Reference,
	operations: Operation[],
	placeholders: ReadonlySet<string>,
): { found: Finding[]; notes: Array<string | false> } {
	const templates = operations.slice(0, MOST_LISTED).flatMap((operation) =>
		jsonBodySchemas(document, operation).flatMap((schema) =>
			bodyTemplates(reader, schema, placeholders).map((template) => ({
				...template,
				endpoint: endpointText(document, operation),
				at: schema.at,
			})),
		),
	);
	if (templates.length === 0) return { found: [], notes: ['No JSON body is declared.'] };
	const properties = templates.map(
		({ endpoint, required, optional }) =>
			`${endpoint}: required: ${named(required) || 'nothing'}; optional: ${named(optional) || 'nothing'}.`,
	);
	const advice =
		templates.some(({ standIns }) => standIns > 0) &&
		`${COMPLETE} You can leave out what is optional.`;
	return {
		found: templates.map(({ json, at }) => ({ value: json, at })),
		notes: [advice, ...[...new Set(properties)].slice(0, MOST_LISTED)],
	};
}
