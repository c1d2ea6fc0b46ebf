-- Minimal tables in a schema of their own, filled from the product's, with nothing a query does not need:
-- no tenants, validity, uuids or child tables. Statistics are static (df is counted once, over all lanes).
drop schema if exists floor cascade;
create schema floor;

create table floor.edge (
  record_id bigint not null, lane_id int not null, at timestamptz not null,
  label text not null, value text not null, key bigint not null, dated boolean not null
);
insert into floor.edge
select record_id, lane_id, at, label, value, hashtextextended(label || E'\x1f' || value, 0),
  exists (select 1 from memory_record r where r.id = record_id and r.occurred_at is not null)
from memory_edgeproperty where tenant_id = %(tenant)s order by record_id;
create index on floor.edge (key, lane_id, at, record_id, dated);
create unique index on floor.edge (record_id, key);
create index on floor.edge (lane_id, label, key);

create table floor.property (
  key bigint primary key, label text not null, value text not null, df bigint not null, folded text not null,
  grams int[] not null
);
insert into floor.property
select e.key, e.label, e.value, count(*), '', '{}' from floor.edge e group by 1, 2, 3;
update floor.property p set folded = v.folded, grams = v.grams from (
  select distinct on (label, value) label, value, folded, grams from memory_lanevalue where tenant_id = %(tenant)s
) v where v.label = p.label and v.value = p.value;
create index on floor.property using gin (grams);

create table floor.record (id bigint primary key, lane_id int not null, at timestamptz not null, text text not null);
insert into floor.record select id, lane_id, at, text from memory_record where tenant_id = %(tenant)s;

-- The record's properties with the readable others sharing each (counted to the cap), least shared first; newest
-- carriers of one after the other until the page is full.
create function floor.traverse(r bigint, lanes int[], page int, cap int)
returns table (record_id bigint, others int) language plpgsql stable
set plan_cache_mode = force_generic_plan as $$
declare o record; seen bigint[] := array[r]; got bigint[]; n int := 0;
begin
  for o in
    select e.key, (select count(*)::int from (
      select 1 from unnest(lanes) l cross join lateral (
        select 1 from floor.edge x where x.key = e.key and x.lane_id = l limit cap + 2) y limit cap + 2) z) - 1 as others
    from floor.edge e where e.record_id = r order by 2, 1
  loop
    continue when o.others < 1;
    select array_agg(y.record_id) into got from (
      select y.record_id from unnest(lanes) l cross join lateral (
        select d.record_id, d.at from floor.edge d where d.key = o.key and d.lane_id = l
        order by d.at desc, d.record_id desc limit page + cardinality(seen)) y
      where not exists (select 1 from unnest(seen) s(id) where s.id = y.record_id)
      order by y.at desc, y.record_id desc limit page - n) y;
    if got is not null then
      return query select u, least(o.others, cap) from unnest(got) u;
      n := n + cardinality(got);
      seen := seen || got;
      exit when n >= page;
    end if;
  end loop;
end $$;

-- Breadth first; a property is followed when at most `hub` readable others carry it, counted as it is met.
create function floor.radius(r bigint, lanes int[], hops int, hub int, budget int)
returns table (record_id bigint, depth int) language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare seen bigint[] := array[r]; front bigint[] := array[r]; passed bigint[] := '{}'; keys bigint[]; next bigint[];
        room int := budget; hop int;
begin
  for hop in 1..hops loop
    select array_agg(k.key) into keys from (
      select e.key from unnest(front) f(id) join floor.edge e on e.record_id = f.id except select unnest(passed)) k;
    exit when keys is null;
    passed := passed || keys;
    select array_agg(q.id) into next from (
      select m.id from unnest(keys) k
      cross join lateral (
        select array_agg(z.record_id) ids, count(*) n from (
          select d.record_id from unnest(lanes) l cross join lateral (
            select d.record_id from floor.edge d where d.key = k and d.lane_id = l limit hub + 2) d limit hub + 2) z) c
      cross join lateral unnest(c.ids) m(id)
      where c.n between 2 and hub + 1 and not exists (select 1 from unnest(seen) s(id) where s.id = m.id)
      group by m.id order by min(c.n), m.id desc limit room) q;
    exit when next is null;
    return query select u, hop from unnest(next) u;
    room := room - cardinality(next);
    exit when room <= 0;
    seen := seen || next;
    front := next;
  end loop;
end $$;

-- The same walk with the static df instead of counting: what the walk itself costs.
create function floor.radius_static(r bigint, lanes int[], hops int, hub int, budget int)
returns table (record_id bigint, depth int) language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare seen bigint[] := array[r]; front bigint[] := array[r]; passed bigint[] := '{}'; keys bigint[]; dfs int[];
        next bigint[]; got bigint[]; room int := budget; hop int; i int; j int; w bigint;
begin
  for hop in 1..hops loop
    select array_agg(z.key order by z.df, z.key), array_agg(z.df order by z.df, z.key) into keys, dfs from (
      select k.key, p.df::int from (
        select e.key from unnest(front) f(id) join floor.edge e on e.record_id = f.id except select unnest(passed)) k
      join floor.property p on p.key = k.key where p.df between 2 and hub + 1) z;
    exit when keys is null;
    passed := passed || keys;
    next := '{}';
    i := 1;
    while i <= cardinality(keys) and room > 0 loop
      j := i;
      w := dfs[j];
      while j < cardinality(keys) and w < greatest(8 * room, 400) loop j := j + 1; w := w + dfs[j]; end loop;
      select array_agg(q.id) into got from (
        select d.record_id id from unnest(keys[i:j], dfs[i:j]) u(k, n)
        join floor.edge d on d.key = u.k and d.lane_id + 0 = any(lanes)
        where not exists (select 1 from unnest(seen) s(id) where s.id = d.record_id)
        group by 1 order by min(u.n), 1 desc limit room) q;
      if got is not null then
        next := next || got;
        seen := seen || got;
        room := room - cardinality(got);
      end if;
      i := j + 1;
    end loop;
    return query select u, hop from unnest(next) u;
    exit when room <= 0 or cardinality(next) = 0;
    front := next;
  end loop;
end $$;

analyze floor.edge, floor.property, floor.record;
