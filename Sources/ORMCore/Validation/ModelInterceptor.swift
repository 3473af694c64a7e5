internal import ORMRows
internal import ORMStorage

/// The hooks and checks of one model.
struct ModelInterceptor<Model: Persistable>: TypedInterceptor {
  let hasChecks: Bool
  let checksDeletes: Bool
  let hooks: (any RowHooks)?

  init() {
    checksDeletes = ModelRules<Model>.isValidated
    hasChecks = checksDeletes || !Model.entity.checks.isEmpty
    func hooks<Hooked: WriteHooks>(of type: Hooked.Type) -> any RowHooks { ModelHooks<Hooked>() }
    self.hooks = (Model.self as? any WriteHooks.Type).map { hooks(of: $0) }
  }

  private func model(_ row: [StoredValue]) throws -> Model { try Mapper<Model>.model(ofRow: row) }

  func failures(
    of row: [StoredValue], old: [StoredValue]?, in transaction: WriteTransaction
  ) throws -> [StoreError] {
    try ModelRules<Model>.failures(
      of: model(row), event: old == nil ? .insert : .update, old: { try old.map { try model($0) } },
      transaction)
  }

  func deleteFailures(
    of row: [StoredValue], in transaction: WriteTransaction
  ) throws -> [StoreError] {
    guard checksDeletes else { return [] }
    return try ModelRules<Model>.wholeFailures(
      of: model(row), event: .delete, old: { nil }, transaction)
  }
}

/// The hooks of one model.
private struct ModelHooks<Model: WriteHooks>: RowHooks {
  private func model(_ row: [StoredValue]) throws -> Model { try Mapper<Model>.model(ofRow: row) }

  func willInsert(_ row: [StoredValue], in transaction: WriteTransaction) throws -> [StoredValue] {
    var model = try model(row)
    try model.willInsert(in: transaction)
    return try Mapper.row(of: model, over: row)
  }

  func willUpdate(
    _ row: [StoredValue], from old: [StoredValue], in transaction: WriteTransaction
  ) throws -> [StoredValue] {
    var model = try model(row)
    try model.willUpdate(from: self.model(old), in: transaction)
    return try Mapper.row(of: model, over: row)
  }

  func willDelete(_ row: [StoredValue], in transaction: WriteTransaction) throws {
    try model(row).willDelete(in: transaction)
  }

  func didInsert(_ row: [StoredValue], in transaction: WriteTransaction) throws {
    try model(row).didInsert(in: transaction)
  }

  func didUpdate(
    _ row: [StoredValue], from old: [StoredValue], in transaction: WriteTransaction
  ) throws {
    try model(row).didUpdate(from: model(old), in: transaction)
  }

  func didDelete(_ row: [StoredValue], in transaction: WriteTransaction) throws {
    try model(row).didDelete(in: transaction)
  }
}

extension Mapper {
  /// Returns the model of a row, whose last columns may be none of the model's.
  fileprivate static func model(ofRow row: [StoredValue]) throws -> Model {
    let count = Model.entity.description.attributes.count
    return try model(from: row.count == count ? row : Array(row.prefix(count)))
  }

  /// Returns a row with the values of a model in its columns.
  fileprivate static func row(of model: Model, over row: [StoredValue]) throws -> [StoredValue] {
    let values = try values(of: model)
    return row.count == values.count ? values : values + row.dropFirst(values.count)
  }
}

extension Persistable {
  /// The interceptor that runs the model's hooks and checks; nil for a model without any.
  static var interceptor: (any TypedInterceptor)? {
    let interceptor = ModelInterceptor<Self>()
    return interceptor.hooks != nil || interceptor.hasChecks ? interceptor : nil
  }
}
