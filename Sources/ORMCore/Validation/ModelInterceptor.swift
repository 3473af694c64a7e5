internal import ORMRows
internal import ORMStorage

/// The hooks and checks of one model.
struct ModelInterceptor<Model: Persistable>: TypedInterceptor {
  let hasHooks = Model.self is any WriteHooks.Type
  private let isValidated = ModelRules<Model>.isValidated
  private let columns = Model.entity.description.attributes.count

  var hasChecks: Bool { isValidated || !Model.entity.checks.isEmpty }
  var checksDeletes: Bool { isValidated }

  private func model(_ row: [StoredValue]) throws -> Model {
    try Mapper<Model>.model(from: Array(row.prefix(columns)))
  }

  /// The object as one with hooks; only asked where there are hooks.
  private func hooked(_ row: [StoredValue]) throws -> (any WriteHooks)? {
    try model(row) as? any WriteHooks
  }

  private func row(of model: any Persistable, over row: [StoredValue]) throws -> [StoredValue] {
    guard let model = model as? Model else { return row }
    return try Mapper.values(of: model) + row.dropFirst(columns)
  }

  func willInsert(_ row: [StoredValue], in transaction: WriteTransaction) throws -> [StoredValue] {
    guard var model = try hooked(row) else { return row }
    try model.willInsert(in: transaction)
    return try self.row(of: model, over: row)
  }

  func willUpdate(
    _ row: [StoredValue], from old: [StoredValue], in transaction: WriteTransaction
  ) throws -> [StoredValue] {
    func update<Hooked: WriteHooks>(_ model: Hooked) throws -> [StoredValue] {
      guard let old = try self.model(old) as? Hooked else { return row }
      var model = model
      try model.willUpdate(from: old, in: transaction)
      return try self.row(of: model, over: row)
    }
    guard let model = try hooked(row) else { return row }
    return try update(model)
  }

  func willDelete(_ row: [StoredValue], in transaction: WriteTransaction) throws {
    try hooked(row)?.willDelete(in: transaction)
  }

  func didInsert(_ row: [StoredValue], in transaction: WriteTransaction) throws {
    try hooked(row)?.didInsert(in: transaction)
  }

  func didUpdate(
    _ row: [StoredValue], from old: [StoredValue], in transaction: WriteTransaction
  ) throws {
    func update<Hooked: WriteHooks>(_ model: Hooked) throws {
      guard let old = try self.model(old) as? Hooked else { return }
      try model.didUpdate(from: old, in: transaction)
    }
    if let model = try hooked(row) { try update(model) }
  }

  func didDelete(_ row: [StoredValue], in transaction: WriteTransaction) throws {
    try hooked(row)?.didDelete(in: transaction)
  }

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
    guard isValidated else { return [] }
    return try ModelRules<Model>.wholeFailures(
      of: model(row), event: .delete, old: { nil }, transaction)
  }
}

extension Persistable {
  /// The interceptor that runs the model's hooks and checks; nil for a model without any.
  static var interceptor: (any TypedInterceptor)? {
    let interceptor = ModelInterceptor<Self>()
    return interceptor.hasHooks || interceptor.hasChecks ? interceptor : nil
  }
}
