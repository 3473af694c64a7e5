-- Puts functions, operators and tables into the namespace `public`, as a role that is not the store's.
--
-- Each operator and function of the server gets forms for other types of a store's columns, which the server
-- prefers for arguments of these types where `public` is in the search path. A call of any adds one to the
-- sequence `public.hostile_calls`, whose `is_called` must stay false.
SET check_function_bodies = off;
SET client_min_messages = error;
DO $do$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'strata_hostile') THEN CREATE ROLE strata_hostile;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $do$;
GRANT CREATE, USAGE ON SCHEMA public TO strata_hostile;
SET ROLE strata_hostile;
CREATE SEQUENCE public.hostile_calls;
GRANT ALL ON SEQUENCE public.hostile_calls TO PUBLIC;
CREATE TABLE public.strata_meta (name text, value text);
CREATE TABLE public.strata_gate ();
CREATE TABLE public.strata_keys (entity text, greatest bigint);
GRANT ALL ON ALL TABLES IN SCHEMA public TO PUBLIC;
DO $do$
DECLARE
  types regtype[] := '{bool,int4,int8,numeric,float8,text,bytea,uuid,text[],int8[],float8[],numeric[],bytea[],uuid[],bool[]}';
  body text := 'BEGIN PERFORM pg_catalog.nextval(''public.hostile_calls''); RETURN NULL; END';
  item record;
BEGIN
  FOR item IN
    SELECT o.oprname AS name, l AS "left", r AS "right", format('hostile_%s', row_number() OVER ()) AS function
    FROM (SELECT DISTINCT oprname FROM pg_operator WHERE oprleft = ANY (types) AND oprright = ANY (types)) o,
      unnest(types) l, unnest(types) r
    WHERE NOT EXISTS (
      SELECT 1 FROM pg_operator p WHERE p.oprname = o.oprname AND p.oprleft = l AND p.oprright = r)
  LOOP
    EXECUTE format(
      'CREATE FUNCTION public.%I(%s, %s) RETURNS bool LANGUAGE plpgsql AS %L', item.function, item."left",
      item."right", body);
    EXECUTE format(
      'CREATE OPERATOR public.%s (FUNCTION = public.%I, LEFTARG = %s, RIGHTARG = %s)', item.name,
      item.function, item."left", item."right");
  END LOOP;
  -- Each function of the server with a type of the store's in place of another.
  FOR item IN
    SELECT DISTINCT p.proname AS name,
      (SELECT string_agg(CASE WHEN a.n = place THEN t ELSE a.argument::regtype END::text, ', ' ORDER BY a.n)
       FROM unnest(p.proargtypes) WITH ORDINALITY AS a(argument, n)) AS arguments,
      CASE WHEN p.proretset OR y.typtype = 'p' THEN 'text'::regtype ELSE p.prorettype::regtype END AS result
    FROM pg_proc p JOIN pg_type y ON y.oid = p.prorettype, generate_series(1, p.pronargs) place, unnest(types) t
    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.pronargs BETWEEN 1 AND 3 AND p.prokind <> 'p'
      AND NOT EXISTS (
        SELECT 1 FROM unnest(p.proargtypes) argument
        WHERE argument <> ALL (types || '{anyarray,anyelement,anycompatible,anycompatiblearray}'::regtype[]))
  LOOP
    BEGIN
      IF item.arguments ~ 'any' THEN CONTINUE; END IF;
      IF to_regprocedure(format('pg_catalog.%I(%s)', item.name, item.arguments)) IS NULL THEN
        EXECUTE format(
          'CREATE FUNCTION public.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', item.name, item.arguments,
          item.result, body);
      END IF;
    EXCEPTION WHEN duplicate_function THEN NULL;
    END;
  END LOOP;
END $do$;
RESET ROLE;
