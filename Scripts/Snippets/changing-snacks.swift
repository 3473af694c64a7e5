// The models and stores with which both halves of the guide ChangingYourModels begin.

/// The models of version 1.
@Persistable("Snack")
struct Snack1 {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var flavour: String?
  var price: Double = 0
}

/// The models after a rename.
@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var taste: String?
  var price: Double = 0
}

/// Enters an empty folder, in which a program of version 1 has left a store with rows.
func begin(
  _ step: String, _ rows: [Snack1] = [Snack1(name: "Chips", flavour: "salty", price: 2.5)]
) throws {
  try enter(step)
  let store = try open(Schema(Snack1.self, version: 1))
  try store.save(rows)
  try store.close()
}

func open(
  _ schema: Schema, _ plan: MigrationPlan? = nil, _ options: StoreOptions = StoreOptions()
) throws -> SQLiteStore {
  var options = options
  if let plan { options.schemaPolicy = .migrate(plan) }
  return try SQLiteStore(path: "app.sqlite", schema: schema, options: options)
}

func old(_ options: StoreOptions = StoreOptions()) throws -> SQLiteStore {
  try open(Schema(Snack1.self, version: 1), nil, options)
}

nonisolated var readOnly: StoreOptions {
  var options = StoreOptions()
  options.isReadOnly = true
  return options
}
