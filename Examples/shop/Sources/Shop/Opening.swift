import LMDBBackend
import MemoryBackend
import ORM
import ORMExchange
import ORMMigrations
import PostgresBackend
import SQLiteBackend

/// The name under which the store keeps the position of the background task.
let salesConsumer = "sales"

/// Opens the store at a location: `sqlite:shop.sqlite`, `postgres:app@host/shop`, `lmdb:` or `memory:`.
///
/// A store of an older version is migrated before this returns.
public func openStore(
  at location: String, instruments: [any StoreInstrument] = []
) throws -> any Store {
  let store = try StoreLocation(location, among: [.sqlite, .postgres, .lmdb, .memory])
    .open(schema: schema(), options: storeOptions(instruments))
  try prepare(store)
  return store
}

/// Makes the consumer before the first order can be there, so that the task misses none.
func prepare(_ store: any Store) throws {
  _ = try store.historyConsumer(salesConsumer, of: OrderLine.self)
}

func storeOptions(_ instruments: [any StoreInstrument] = []) -> StoreOptions {
  var options = StoreOptions()
  options.schemaPolicy = .migrate(migrations)
  options.instruments = instruments
  // What clients ask for ends after this time, and waits no longer for its turn.
  options.operationLimit = .seconds(5)
  options.readerWait = .seconds(5)
  options.writerWait = .seconds(5)
  // Filters come from clients.
  options.conditionLimits.depth = 20
  options.history = .retained(for: .days(7), entities: .only(["OrderLine"]), level: .values)
  return options
}

func schema() throws -> Schema {
  try Schema(
    User.self, Item.self, Tag.self, Order.self, OrderLine.self, Sales.self, version: 2)
}

/// All versions of the schema after the first.
///
/// A new entity or attribute needs no step.
let migrations = MigrationPlan([
  .version(2, [.renameAttribute("title", to: "name", in: "Item")])
])
