import type { INodeProperties } from 'n8n-workflow';

import { DETAIL_GROUPS } from '../../api/details/labels';
import { DEFAULT_SIGNED_FROM_MB } from '../../api/upload';

export const inputDataFieldName: INodeProperties = {
	displayName: 'Input Data Field Name',
	name: 'binaryPropertyName',
	type: 'string',
	required: true,
	default: 'data',
	placeholder: 'e.g. attachment_*',
	hint: 'A name, several names separated by commas, or a pattern: attachment_* takes all attachments of an email, * takes every file',
	description: "The input item's fields that hold the files. Each file becomes a document.",
	builderHint: {
		propertyHint:
			"Names of binary fields, no expression: 'data' after most nodes, 'attachment_*' after email triggers, '*' for every file, whatever its field is called.",
	},
};

export const uploadMethod: INodeProperties = {
	displayName: 'Upload Method',
	name: 'uploadMethod',
	type: 'options',
	options: [
		{
			name: 'Automatic',
			value: 'automatic',
			description:
				'Signed URL for large files, Direct for the others. Direct for all files if signed uploads are not set up in the credential.',
		},
		{
			name: 'Direct',
			value: 'direct',
			description: 'One request per file. Made for smaller files.',
		},
		{
			name: 'Signed URL',
			value: 'signed',
			description: `The file goes straight to storage and is confirmed afterwards. Made for large files; needs the fields under '${DETAIL_GROUPS.signedUploads.label}' in the credential.`,
		},
	],
	default: 'automatic',
	description: 'How files get to the service',
};

export const fileOptions: INodeProperties[] = [
	{
		displayName: 'Keep Input Files',
		name: 'keepInputFiles',
		type: 'boolean',
		default: false,
		description: 'Whether to include each file in its output item',
	},
	{
		displayName: 'Max File Size (MB)',
		name: 'maxFileSizeMb',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description: 'Larger files are skipped and reported; 0 for no limit',
	},
	{
		displayName: 'MIME Types',
		name: 'mimeTypes',
		type: 'string',
		default: '',
		placeholder: 'e.g. application/pdf, image/*',
		description: 'Only files of these types are uploaded; the others are skipped and reported',
	},
	{
		displayName: 'Min File Size (MB)',
		name: 'minFileSizeMb',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'Smaller files are skipped and reported. 0.02 skips most logos in email signatures.',
	},
	{
		displayName: 'Signed URL From Size (MB)',
		name: 'signedFromMb',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: DEFAULT_SIGNED_FROM_MB,
		description: "Upload Method 'Automatic' uploads files of this size and above by signed URL",
	},
];
