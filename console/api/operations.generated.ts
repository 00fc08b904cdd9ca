// Made by `npm run docs` from the service's OpenAPI document: changes here are lost when it is made again.

export interface components {
    schemas: {
        Error: {
            error: {
                /** @description Never changes its meaning */
                code: string;
                /** @description For people; may be reworded */
                message: string;
                /** @description The HTTP status */
                status: number;
                /** @description The invalid request parameter */
                parameter?: string;
                /** @description The values that it may have */
                allowed?: string[];
                /** @description Messages by field, if something could not be saved */
                fields?: {
                    [key: string]: string[];
                };
                /** @description Position in the caller's query */
                line?: number;
                /** @description In code points */
                column?: number;
                /** @description The limit that was reached, by its name */
                limit?: string;
                /** @description What the caller may do about it */
                hint?: string;
            };
        };
        AnyRow: {
            [key: string]: unknown;
        };
        QueryRequest: {
            sql?: string;
            lql?: string;
            parameters?: {
                [key: string]: unknown;
            };
        };
        QueryAnswer: {
            result: components["schemas"]["AnyRow"][];
        };
        QueryReport: {
            result: {
                parameters: components["schemas"]["AnyRow"][];
                columns: {
                    name: string;
                    type: string;
                }[];
                tables: string[];
                endpoints: string[];
                diagnostics: components["schemas"]["AnyRow"][];
                warnings: components["schemas"]["AnyRow"][];
                compiled_sql: string | null;
                explain: components["schemas"]["AnyRow"][];
            };
        };
        Accepted: {
            message: string;
            accepted: number;
        };
        Endpoint: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            query: string;
            max_rows: number;
            cache_seconds: number;
            warm_every_seconds: number | null;
            /** @description The parameter that selects whose rows a call reads: a token that pins it reads no others. `none`: tokens with pins are refused */
            tenant_parameter: string | null;
            sandbox: boolean;
            redact_pii: boolean | string[];
            parameters: {
                [key: string]: {
                    type: string;
                    required: boolean;
                    allowed: string[] | null;
                    default: unknown;
                    description: string | null;
                };
            };
            table_aliases: {
                [key: string]: string;
            };
            hidden_columns: string[];
            labels: {
                [key: string]: string;
            };
            version?: number;
            /** @enum {string} */
            origin: "file" | "api";
            file: string | null;
            contract: components["schemas"]["Contract"];
            /** @description Why it can no longer run, because something it reads has changed */
            problem?: string;
            /** @description Probable mistakes in its query: fields that no event has carried, reads that no tenant confines */
            warnings?: string[];
        };
        Contract: {
            parameters: {
                name: string;
                type: string;
                required: boolean;
                allowed: string[] | null;
                default: unknown;
                description: string | null;
            }[];
            columns: {
                name: string;
                /** @description In GoogleSQL's notation */
                type: string;
            }[];
        };
        EndpointDocument: {
            id?: string;
            name: string;
            description?: string;
            query_timeout_ms?: number;
            max_rows?: number;
            max_result_bytes?: number;
            max_query_memory_mb?: number;
            max_array_elements?: number;
            max_string_bytes?: number;
            max_query_characters?: number;
            max_query_depth?: number;
            cache_seconds?: number;
            warm_every_seconds?: number;
            sandbox?: boolean;
            redact_pii?: boolean | ("ip" | "email" | "jwt" | "card" | "bearer" | "phone")[];
            parameters?: {
                [key: string]: {
                    /** @enum {unknown} */
                    type?: "string" | "int64" | "float64" | "bool" | "timestamp" | "date";
                    required?: boolean;
                    allowed?: (string | number | boolean)[];
                    default?: string | number | boolean;
                    description?: string;
                } | null;
            };
            tenant_parameter?: string;
            table_aliases?: {
                [key: string]: string;
            };
            hidden_columns?: string[];
            labels?: {
                [key: string]: string;
            };
            query: string;
        };
        EndpointChange: {
            id?: string;
            name?: string;
            description?: string;
            query_timeout_ms?: number;
            max_rows?: number;
            max_result_bytes?: number;
            max_query_memory_mb?: number;
            max_array_elements?: number;
            max_string_bytes?: number;
            max_query_characters?: number;
            max_query_depth?: number;
            cache_seconds?: number;
            warm_every_seconds?: number;
            sandbox?: boolean;
            redact_pii?: boolean | ("ip" | "email" | "jwt" | "card" | "bearer" | "phone")[];
            parameters?: {
                [key: string]: {
                    /** @enum {unknown} */
                    type?: "string" | "int64" | "float64" | "bool" | "timestamp" | "date";
                    required?: boolean;
                    allowed?: (string | number | boolean)[];
                    default?: string | number | boolean;
                    description?: string;
                } | null;
            };
            tenant_parameter?: string;
            table_aliases?: {
                [key: string]: string;
            };
            hidden_columns?: string[];
            labels?: {
                [key: string]: string;
            };
            query?: string;
        };
        Version: {
            version: number;
            name: string;
            current: boolean;
            /** Format: date-time */
            created_at: string;
            author: string;
            action: string;
            rollback_to: number | null;
            changed: string[];
            document?: components["schemas"]["AnyRow"];
            contract?: components["schemas"]["Contract"];
        };
        VersionDiff: {
            from: number;
            to: number;
            breaking: boolean;
            changes: {
                /** @enum {string} */
                area: "column" | "parameter" | "setting";
                name: string;
                change: string;
                from: string | null;
                to: string | null;
                breaking: boolean;
            }[];
            query: components["schemas"]["AnyRow"][];
        };
        Source: {
            id: string;
            name: string;
            aliases: string[];
            kind: string;
            description: string;
            retention_days: number | {
                default?: number;
                tenants?: {
                    [key: string]: number;
                };
            } | null;
            /** @description The field that tells tenants apart, if there is one */
            tenant?: string;
            /** @description Types of declared fields by dotted path */
            fields: {
                [key: string]: string;
            };
            newest_event?: string | null;
            /** @description True for a source that is defined in a file, or is the service's own */
            read_only: boolean;
            /** @description The source's name, if this is another name of it */
            alias_of?: string;
        } & {
            [key: string]: unknown;
        };
        SourceSchema: {
            name: string;
            fields: {
                path: string;
                type: string;
            }[];
        };
        SourceDocument: {
            name?: string;
            aliases?: string[];
            kind?: string;
            description?: string;
            tenant?: string | null;
            retention_days?: number | {
                default?: number;
                tenants?: {
                    [key: string]: number;
                };
            } | null;
            fields?: {
                [key: string]: "STRING" | "INT64" | "FLOAT64" | "BOOL";
            };
        };
        BackendDocument: {
            name?: string;
            description?: string;
            /** @enum {string} */
            type?: "webhook" | "logweir" | "loki" | "otlp" | "s3";
            /** @description url, headers, gzip; token and source of logweir, username and password of loki, region and keys of s3 */
            config?: Record<string, never>;
            metadata?: Record<string, never>;
        };
        Backend: {
            id: string;
            token: string;
            name: string;
            description: string;
            type: string;
            /** @description Secrets are shown as ******** */
            config: Record<string, never>;
            metadata: Record<string, never>;
            inserted_at: string;
            updated_at: string;
            status: {
                rule_id: string;
                source: string;
                waiting: number;
                delivered: number;
                refused: number;
                dropped: number;
                removed: number;
                excluded: number;
                looped: number;
                failures: number;
                last_error: string | null;
                last_delivered_at: string | null;
            }[];
        };
        RuleDocument: {
            backend_id?: string;
            /** @description Id, name or alias of a source */
            source_id?: string;
            /** @description The same, by the name that rules are shown with */
            source?: string;
            /** @description Which events go there, in LQL; empty for all */
            lql_string?: string;
        };
        Rule: {
            id: string;
            token: string;
            backend_id: string;
            source_id: string;
            source: string;
            lql_string: string;
            inserted_at: string;
        };
        AlertDocument: {
            /** a text of 1 to 200 characters */
            name?: string;
            description?: string;
            /** a text of 1 to 300 characters */
            endpoint?: string;
            /** @description The values of the query's parameters */
            parameters?: Record<string, never>;
            /** a text of 1 to 100000 characters */
            sql?: string;
            /** a text of 1 to 100000 characters */
            lql?: string;
            /**
             * a duration such as 30s, 5m, 2h or 1d
             * @description Between two runs: a duration such as 30s, 5m, 2h or 1d
             */
            every?: string;
            /** a text of 1 to 200 characters */
            cron?: string;
            /** a text of 1 to 100 characters */
            zone?: string;
            /** {"rows": "any"} or an object with column, op and value; each may have for */
            when?: {
                /**
                 * @description Any row is a reason
                 * @enum {string}
                 */
                rows?: "any";
                /** a text of 1 to 300 characters */
                column?: string;
                /** @enum {string} */
                op?: ">" | ">=" | "<" | "<=" | "=" | "!=";
                /** a number or a text */
                value?: number | string;
                /**
                 * a duration such as 30s, 5m, 2h or 1d
                 * @description For how long: a duration such as 30s, 5m, 2h or 1d
                 */
                for?: string;
            };
            /** a list of columns */
            group_by?: string[];
            /**
             * @description The state while there are no rows, for a condition on a column
             * @enum {string}
             */
            missing?: "ok" | "fire";
            /** @enum {string} */
            severity?: "info" | "warning" | "critical";
            /** @description {{column}} is the value of the first row */
            message?: string;
            /**
             * a duration such as 30s, 5m, 2h or 1d
             * @description Between reminders: a duration such as 30s, 5m, 2h or 1d
             */
            remind?: string;
            /** a list of ids or names of backends, and of objects with a type */
            notify?: (string | Record<string, never>)[];
            enabled?: boolean;
            /** a text of 1 to 100000 characters */
            query?: string;
            /** @enum {string} */
            language?: "bq_sql" | "lql" | "pg_sql";
            /** a text of 1 to 4096 characters */
            webhook_notification_url?: string;
            /** a text of 1 to 4096 characters */
            slack_hook_url?: string;
            /**
             * a list of ids or names of backends
             * @description Backends that are notified
             */
            backend_ids?: string[];
        };
        /** @description The fields that were sent, without secrets, and those of the reference's form */
        Alert: {
            id?: string;
            token?: string;
            name?: string;
            enabled?: boolean;
            inserted_at?: string;
            updated_at?: string;
        } & {
            [key: string]: unknown;
        };
        AlertState: {
            /** @description ok, pending, firing, failing or resolved */
            status: string;
            groups: {
                labels: {
                    [key: string]: string;
                };
                value: string | null;
                status: string;
                since: string;
            }[];
            failure: {
                reason: string;
                since: string;
            } | null;
            last_run_at: string | null;
            next_run_at: string | null;
            silenced_until: string | null;
            waiting: number;
            dropped: number;
            last_error: string | null;
        };
        AlertTest: {
            runs: number;
            notices: {
                at: string;
                status: string;
                labels: {
                    [key: string]: string;
                };
                message: string;
                is_reminder: boolean;
                row_count: number;
            }[];
        };
        NewAccessToken: {
            description?: string;
            /**
             * a list of one or more of private, query, query:endpoint:<id or name>, ingest, ingest:source:<name>, metrics
             * @description A list, or a string with spaces between
             */
            scopes: string[] | string;
            /** an object of parameters and their values */
            pins?: {
                [key: string]: (string | number | boolean) | (string | number | boolean)[] | {
                    prefix: string;
                };
            };
            /**
             * a number and s, m, h, d or w, such as 30d
             * @description A lifetime such as 30d
             */
            expires?: string;
            /** a time in ISO 8601 with a zone, or a date */
            expires_at?: string;
            /** an object of limits */
            budget?: {
                /**
                 * an integer from 1 to 3600000
                 * @description Deadline of one query in milliseconds; then 504.
                 */
                query_timeout_ms?: number;
                /**
                 * an integer from 1 to 10000000
                 * @description Rows of one answer, or of one page of it.
                 */
                max_rows?: number;
                /**
                 * an integer from 1000 to 10000000000
                 * @description Size of one answer's rows in bytes; beyond it 422.
                 */
                max_result_bytes?: number;
                /**
                 * an integer from 1 to 1000000
                 * @description Memory in megabytes that one query may take from the engine's; beyond it 422.
                 */
                max_query_memory_mb?: number;
                /**
                 * an integer from 1 to 1000000
                 * @description Elements of an array that one call of a function makes; beyond it 422.
                 */
                max_array_elements?: number;
                /**
                 * an integer from 1024 to 16777216
                 * @description Bytes of a text that one call of a function makes; beyond it 422.
                 */
                max_string_bytes?: number;
                /**
                 * an integer from 1 to 1048576
                 * @description Length of a query that is sent to an endpoint; beyond it 413.
                 */
                max_query_characters?: number;
                /**
                 * an integer from 1 to 200
                 * @description Levels to which a query that is sent to an endpoint nests; beyond them 422.
                 */
                max_query_depth?: number;
                /**
                 * an integer from 1 to 1000000000
                 * @description Events in a minute, over all sources; beyond them 429.
                 */
                max_ingest_events_per_minute?: number;
                /**
                 * an integer from 1 to 1000000000000
                 * @description Bytes of events, as JSON, in a minute, over all sources; beyond them 429.
                 */
                max_ingest_bytes_per_minute?: number;
            };
            /** @enum {string} */
            redaction?: "required" | "fixed" | "switchable";
        };
        AccessToken: {
            id: string;
            description: string;
            scopes: string[];
            pins: {
                [key: string]: string | string[] | {
                    prefix: string;
                };
            };
            budget: {
                /**
                 * an integer from 1 to 3600000
                 * @description Deadline of one query in milliseconds; then 504.
                 */
                query_timeout_ms?: number;
                /**
                 * an integer from 1 to 10000000
                 * @description Rows of one answer, or of one page of it.
                 */
                max_rows?: number;
                /**
                 * an integer from 1000 to 10000000000
                 * @description Size of one answer's rows in bytes; beyond it 422.
                 */
                max_result_bytes?: number;
                /**
                 * an integer from 1 to 1000000
                 * @description Memory in megabytes that one query may take from the engine's; beyond it 422.
                 */
                max_query_memory_mb?: number;
                /**
                 * an integer from 1 to 1000000
                 * @description Elements of an array that one call of a function makes; beyond it 422.
                 */
                max_array_elements?: number;
                /**
                 * an integer from 1024 to 16777216
                 * @description Bytes of a text that one call of a function makes; beyond it 422.
                 */
                max_string_bytes?: number;
                /**
                 * an integer from 1 to 1048576
                 * @description Length of a query that is sent to an endpoint; beyond it 413.
                 */
                max_query_characters?: number;
                /**
                 * an integer from 1 to 200
                 * @description Levels to which a query that is sent to an endpoint nests; beyond them 422.
                 */
                max_query_depth?: number;
                /**
                 * an integer from 1 to 1000000000
                 * @description Events in a minute, over all sources; beyond them 429.
                 */
                max_ingest_events_per_minute?: number;
                /**
                 * an integer from 1 to 1000000000000
                 * @description Bytes of events, as JSON, in a minute, over all sources; beyond them 429.
                 */
                max_ingest_bytes_per_minute?: number;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        CreatedAccessToken: {
            id: string;
            description: string;
            scopes: string[];
            pins: {
                [key: string]: string | string[] | {
                    prefix: string;
                };
            };
            budget: {
                /**
                 * an integer from 1 to 3600000
                 * @description Deadline of one query in milliseconds; then 504.
                 */
                query_timeout_ms?: number;
                /**
                 * an integer from 1 to 10000000
                 * @description Rows of one answer, or of one page of it.
                 */
                max_rows?: number;
                /**
                 * an integer from 1000 to 10000000000
                 * @description Size of one answer's rows in bytes; beyond it 422.
                 */
                max_result_bytes?: number;
                /**
                 * an integer from 1 to 1000000
                 * @description Memory in megabytes that one query may take from the engine's; beyond it 422.
                 */
                max_query_memory_mb?: number;
                /**
                 * an integer from 1 to 1000000
                 * @description Elements of an array that one call of a function makes; beyond it 422.
                 */
                max_array_elements?: number;
                /**
                 * an integer from 1024 to 16777216
                 * @description Bytes of a text that one call of a function makes; beyond it 422.
                 */
                max_string_bytes?: number;
                /**
                 * an integer from 1 to 1048576
                 * @description Length of a query that is sent to an endpoint; beyond it 413.
                 */
                max_query_characters?: number;
                /**
                 * an integer from 1 to 200
                 * @description Levels to which a query that is sent to an endpoint nests; beyond them 422.
                 */
                max_query_depth?: number;
                /**
                 * an integer from 1 to 1000000000
                 * @description Events in a minute, over all sources; beyond them 429.
                 */
                max_ingest_events_per_minute?: number;
                /**
                 * an integer from 1 to 1000000000000
                 * @description Bytes of events, as JSON, in a minute, over all sources; beyond them 429.
                 */
                max_ingest_bytes_per_minute?: number;
            } & {
                [key: string]: unknown;
            };
            /** @description Shown only once */
            token: string;
        } & {
            [key: string]: unknown;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listTables: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tables: {
                            name: string;
                            aliases: string[];
                            is_default: boolean;
                            fields: {
                                path: string;
                                type: string;
                            }[];
                        }[];
                    };
                };
            };
        };
    };
    checkQuery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        result: {
                            is_valid: boolean;
                            columns: {
                                name: string;
                                type: string;
                            }[];
                            diagnostics: {
                                code: string;
                                message: string;
                                line: number;
                                column: number;
                                end_line: number;
                                end_column: number;
                                excerpt: string;
                            }[];
                            warnings: {
                                code: string;
                                message: string;
                                line: number;
                                column: number;
                                end_line: number;
                                end_column: number;
                                excerpt: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    countRows: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        result: {
                            from: string;
                            to: string;
                            bucket_us: number;
                            total: number;
                            is_truncated: boolean;
                            series: {
                                value: string | null;
                                counts: number[];
                            }[];
                            facets: {
                                path: string;
                                values: {
                                    value: string | null;
                                    count: number;
                                }[];
                            }[];
                        };
                    };
                };
            };
        };
    };
    showAround: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        result: components["schemas"]["AnyRow"][];
                    };
                };
            };
        };
    };
    followRows: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
        };
    };
    listViews: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        views: {
                            id: string;
                            name: string;
                            endpoint: string;
                            /** @description What the explorer shows, as in its address, at most 16,384 characters; stored unchanged */
                            state: string;
                            is_shared: boolean;
                            /** @description True if this token saved it */
                            is_own: boolean;
                            created_at: string;
                        }[];
                    };
                };
            };
        };
    };
    saveView: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string;
                        endpoint: string;
                        /** @description What the explorer shows, as in its address, at most 16,384 characters; stored unchanged */
                        state: string;
                        is_shared: boolean;
                        /** @description True if this token saved it */
                        is_own: boolean;
                        created_at: string;
                    };
                };
            };
        };
    };
    deleteView: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    runQuery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryAnswer"];
                };
            };
        };
    };
    parseQuery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryReport"];
                };
            };
        };
    };
    listFunctions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        functions: {
                            name: string;
                            aliases: string[];
                            kind: string;
                            area: string;
                            signatures: string[];
                            summary: string;
                        }[];
                    };
                };
            };
        };
    };
    sendEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    listEndpoints: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Endpoint"][];
                };
            };
        };
    };
    createEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Endpoint"];
                };
            };
        };
    };
    getEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Endpoint"];
                };
            };
        };
    };
    replaceEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Endpoint"];
                };
            };
        };
    };
    deleteEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    validateEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Endpoint"];
                };
            };
        };
    };
    listVersions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"][];
                };
            };
        };
    };
    getVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
        };
    };
    diffVersions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionDiff"];
                };
            };
        };
    };
    rollBack: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Endpoint"];
                };
            };
        };
    };
    getTests: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        has_tests: boolean;
                        /** @description Null until they ran, since the service started */
                        last: {
                            ran_at: string;
                            version: number;
                            passed: number;
                            failed: number;
                            tests: {
                                name: string;
                                is_passed: boolean;
                                ms: number;
                                difference: string | null;
                            }[];
                        } | null;
                    };
                };
            };
        };
    };
    runTests: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        has_tests: boolean;
                        /** @description Null until they ran, since the service started */
                        last: {
                            ran_at: string;
                            version: number;
                            passed: number;
                            failed: number;
                            tests: {
                                name: string;
                                is_passed: boolean;
                                ms: number;
                                difference: string | null;
                            }[];
                        } | null;
                    };
                };
            };
        };
    };
    listSources: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"][];
                };
            };
        };
    };
    createSource: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
        };
    };
    getSource: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
        };
    };
    replaceSource: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
        };
    };
    deleteSource: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeSource: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
        };
    };
    getSourceSchema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceSchema"];
                };
            };
        };
    };
    listRecentEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryAnswer"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryAnswer"];
                };
            };
        };
    };
    deleteEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Events that passed the filters when the deletion began */
                        matched: number;
                        deleted: number;
                    };
                };
            };
        };
    };
    setRetention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
        };
    };
    listBackends: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backend"][];
                };
            };
        };
    };
    createBackend: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backend"];
                };
            };
        };
    };
    getBackend: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backend"];
                };
            };
        };
    };
    replaceBackend: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backend"];
                };
            };
        };
    };
    deleteBackend: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeBackend: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backend"];
                };
            };
        };
    };
    testBackend: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        connected: boolean;
                        reason?: string;
                    };
                };
            };
        };
    };
    listRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"][];
                };
            };
        };
    };
    createRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
        };
    };
    getRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
        };
    };
    replaceRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
        };
    };
    deleteRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
        };
    };
    listAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"][];
                };
            };
        };
    };
    createAlert: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
        };
    };
    getAlert: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
        };
    };
    replaceAlert: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
        };
    };
    deleteAlert: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeAlert: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getAlertState: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertState"];
                };
            };
        };
    };
    silenceAlert: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
        };
    };
    testAlert: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertTest"];
                };
            };
        };
    };
    listAccessTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessToken"][];
                };
            };
        };
    };
    createAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedAccessToken"];
                };
            };
        };
    };
    getAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessToken"];
                };
            };
        };
    };
    revokeAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    rotateAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedAccessToken"];
                };
            };
        };
    };
    countCalls: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        since: string;
                        /** @description False if the service does not record runs */
                        is_recorded: boolean;
                        endpoints: {
                            endpoint: string;
                            calls: number;
                            /** @description Calls that were answered with an error; callers that disconnected are not counted */
                            errors: number;
                            /** @description Calls that were answered from the cache */
                            cached: number;
                            p50_ms: number | null;
                            p95_ms: number | null;
                            newest_call: string;
                        }[];
                    };
                };
            };
        };
    };
    countIntake: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        since: string;
                        sources: {
                            source: string;
                            stored: number;
                            /** @description Events that were not stored */
                            rejected: number;
                            /** @description Bodies that could not be read as a whole */
                            refused_bodies: number;
                            /** @description Stored events whose timestamp could not be read */
                            untimed: number;
                            /** @description Stored events without a tenant, in a source that has tenants */
                            without_tenant: number;
                            /** @description Why events and bodies were not stored, newest first */
                            reasons: {
                                reason: string;
                                count: number;
                                newest: string;
                            }[];
                            /** @description When an event last arrived and was stored */
                            last_stored: string | null;
                            newest_event: string | null;
                            /** @description How long ago the newest event happened */
                            lag_ms: number | null;
                            retention_days: number | {
                                default?: number;
                                tenants?: {
                                    [key: string]: number;
                                };
                            } | null;
                        }[];
                    };
                };
            };
        };
    };
    clearCache: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        cleared: number;
                    };
                };
            };
        };
    };
    getStore: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnyRow"];
                };
            };
        };
    };
    backUpStore: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
        };
    };
    backUpChanges: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
        };
    };
    listSlices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        slices: {
                            start_us: string;
                            events: number;
                            fingerprint: string;
                        }[];
                    };
                };
            };
        };
    };
    readStoredEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": unknown;
                };
            };
        };
    };
    reloadFiles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnyRow"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: {
                            id: string;
                            scopes: string[];
                            pins: {
                                [key: string]: string | string[] | {
                                    prefix: string;
                                };
                            };
                            budget: {
                                [key: string]: number;
                            };
                            redaction: string;
                        };
                        person: {
                            name: string;
                            /** @description `oidc`: with an issuer; `proxy`: by a trusted proxy */
                            way: string;
                        } | null;
                        may: {
                            query: boolean;
                            manage: boolean;
                            ingest: boolean;
                            metrics: boolean;
                        };
                        endpoints: {
                            id: string;
                            name: string;
                            description: string | null;
                            version: number;
                            sandbox: boolean;
                            max_rows: number;
                            parameters: {
                                [key: string]: unknown;
                            }[];
                            columns: {
                                name: string;
                                type: string;
                            }[];
                        }[];
                        sources: string[];
                        ingest_sources: string[];
                        now: string;
                    };
                };
            };
        };
    };
    getSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The host of the issuer to sign in with */
                        issuer: string | null;
                        is_signed_in: boolean;
                        problem: {
                            code: string;
                            message: string;
                            hint?: string;
                        } | null;
                    };
                };
            };
        };
    };
    beginSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    finishSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        issuer_sign_out: string | null;
                    };
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnyRow"];
                };
            };
        };
    };
}

type Content<Body> = Body extends { content: { "application/json": infer Json } } ? Json : undefined;

/** The JSON that each operation answers. */
export type Answers = { readonly [Name in keyof operations]: Content<operations[Name]["responses"][200]> };

export type Endpoint = components["schemas"]["Endpoint"];
export type Version = components["schemas"]["Version"];

/** Method and path of each operation. */
export const operations = {
  listTables: ["get", "/api/endpoints/query/{endpoint}/tables"],
  checkQuery: ["get", "/api/endpoints/query/{endpoint}/parse"],
  countRows: ["get", "/api/endpoints/query/{endpoint}/overview"],
  showAround: ["get", "/api/endpoints/query/{endpoint}/around"],
  followRows: ["get", "/api/endpoints/query/{endpoint}/tail"],
  listViews: ["get", "/api/views"],
  saveView: ["post", "/api/views"],
  deleteView: ["delete", "/api/views/{id}"],
  runQuery: ["post", "/api/query"],
  parseQuery: ["post", "/api/query/parse"],
  listFunctions: ["get", "/api/catalogue"],
  sendEvents: ["post", "/api/logs"],
  listEndpoints: ["get", "/api/endpoints"],
  createEndpoint: ["post", "/api/endpoints"],
  getEndpoint: ["get", "/api/endpoints/{endpoint}"],
  replaceEndpoint: ["put", "/api/endpoints/{endpoint}"],
  changeEndpoint: ["patch", "/api/endpoints/{endpoint}"],
  deleteEndpoint: ["delete", "/api/endpoints/{endpoint}"],
  validateEndpoint: ["post", "/api/endpoints/validate"],
  listVersions: ["get", "/api/endpoints/{endpoint}/versions"],
  getVersion: ["get", "/api/endpoints/{endpoint}/versions/{version}"],
  diffVersions: ["get", "/api/endpoints/{endpoint}/versions/{version}/diff/{other}"],
  rollBack: ["post", "/api/endpoints/{endpoint}/versions/{version}/rollback"],
  getTests: ["get", "/api/endpoints/{endpoint}/tests"],
  runTests: ["post", "/api/endpoints/{endpoint}/tests"],
  listSources: ["get", "/api/sources"],
  createSource: ["post", "/api/sources"],
  getSource: ["get", "/api/sources/{source}"],
  replaceSource: ["put", "/api/sources/{source}"],
  changeSource: ["patch", "/api/sources/{source}"],
  deleteSource: ["delete", "/api/sources/{source}"],
  getSourceSchema: ["get", "/api/sources/{source}/schema"],
  listRecentEvents: ["get", "/api/sources/{source}/recent"],
  listEvents: ["get", "/api/sources/{source}/events"],
  deleteEvents: ["delete", "/api/sources/{source}/events"],
  setRetention: ["put", "/api/sources/{source}/retention"],
  listBackends: ["get", "/api/backends"],
  createBackend: ["post", "/api/backends"],
  getBackend: ["get", "/api/backends/{id}"],
  replaceBackend: ["put", "/api/backends/{id}"],
  changeBackend: ["patch", "/api/backends/{id}"],
  deleteBackend: ["delete", "/api/backends/{id}"],
  testBackend: ["post", "/api/backends/{id}/test"],
  listRules: ["get", "/api/rules"],
  createRule: ["post", "/api/rules"],
  getRule: ["get", "/api/rules/{id}"],
  replaceRule: ["put", "/api/rules/{id}"],
  changeRule: ["patch", "/api/rules/{id}"],
  deleteRule: ["delete", "/api/rules/{id}"],
  listAlerts: ["get", "/api/alerts"],
  createAlert: ["post", "/api/alerts"],
  getAlert: ["get", "/api/alerts/{id}"],
  replaceAlert: ["put", "/api/alerts/{id}"],
  changeAlert: ["patch", "/api/alerts/{id}"],
  deleteAlert: ["delete", "/api/alerts/{id}"],
  getAlertState: ["get", "/api/alerts/{id}/state"],
  silenceAlert: ["post", "/api/alerts/{id}/silence"],
  testAlert: ["post", "/api/alerts/{id}/test"],
  listAccessTokens: ["get", "/api/access-tokens"],
  createAccessToken: ["post", "/api/access-tokens"],
  getAccessToken: ["get", "/api/access-tokens/{id}"],
  revokeAccessToken: ["delete", "/api/access-tokens/{id}"],
  rotateAccessToken: ["post", "/api/access-tokens/{id}/rotate"],
  countCalls: ["get", "/api/statistics/endpoints"],
  countIntake: ["get", "/api/statistics/sources"],
  clearCache: ["post", "/api/cache/clear"],
  getStore: ["get", "/api/store"],
  backUpStore: ["get", "/api/store/backup"],
  backUpChanges: ["post", "/api/store/backup"],
  listSlices: ["get", "/api/store/slices"],
  readStoredEvents: ["get", "/api/store/events"],
  reloadFiles: ["post", "/api/reload"],
  getSession: ["get", "/api/session"],
  getSignIn: ["get", "/api/sign-in"],
  beginSignIn: ["get", "/api/sign-in/start"],
  finishSignIn: ["get", "/api/sign-in/callback"],
  signOut: ["post", "/api/sign-out"],
  getMetrics: ["get", "/metrics"],
  getOpenApi: ["get", "/api/openapi.json"],
} as const;
