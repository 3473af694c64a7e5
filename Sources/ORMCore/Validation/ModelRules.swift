internal import ORMRows

/// The checks of a model that are code.
enum ModelRules<Model: Persistable> {
  /// True if the model, or a struct that is embedded in it, is checked as a whole by code.
  static var isValidated: Bool {
    Model.self is any ValidatedModel.Type
      || Model.entity.embedded.contains { $0.model is any ValidatedModel.Type }
  }

  /// Returns the failures of an object by its checks of attributes, then by its check of the whole.
  static func failures(
    of model: Model, event: ValidationEvent, old: () throws -> Model?,
    _ transaction: WriteTransaction?
  ) throws -> [StoreError] {
    var failures: [StoreError] = []
    for check in Model.entity.checks where !check.holds(model) {
      failures.append(
        StoreError(
          .validationFailed, check.message, entity: Model.entity.description.name,
          attributes: [check.attribute], rule: "check"))
    }
    return failures + (try wholeFailures(of: model, event: event, old: old, transaction))
  }

  /// Returns the failures of an object by its check of the whole, and by those of the structs in
  /// it.
  static func wholeFailures(
    of model: Model, event: ValidationEvent, old: () throws -> Model?,
    _ transaction: WriteTransaction?
  ) throws -> [StoreError] {
    guard isValidated else { return [] }
    let old = try old()
    func ask<Validated: ValidatedModel>(_ validated: Validated) throws -> [StoreError] {
      var check = Validation<Validated>(event, old: old as? Validated, transaction)
      try validated.validate(&check)
      return check.failures
    }
    var failures: [StoreError] = []
    if let validated = model as? any ValidatedModel { failures = try ask(validated) }
    for part in Model.entity.embedded {
      failures += try part.failures(of: model, event: event, old: old, transaction)
    }
    return failures
  }
}

extension EmbeddedStruct {
  /// Returns the failures of a struct by its check of the whole, as failures of the enclosing
  /// object.
  ///
  /// The struct's attributes are named by their paths, and a failure without any names the struct.
  /// A struct inside another is checked by that one.
  fileprivate func failures<Referrer: Persistable>(
    of referrer: Referrer, event: ValidationEvent, old: Referrer?, _ transaction: WriteTransaction?
  ) throws -> [StoreError] {
    guard !name.utf8.contains(UInt8(ascii: ".")) else { return [] }
    func ask<Value: Persistable>(_ type: Value.Type) throws -> [StoreError] {
      guard ModelRules<Value>.isValidated, let value = self.value(type, in: referrer) else {
        return []
      }
      return try ModelRules<Value>.wholeFailures(
        of: value, event: event, old: { old.flatMap { self.value(type, in: $0) } }, transaction
      ).map { failure in
        var failure = failure
        failure.entity = Referrer.entity.description.name
        failure.attributes =
          failure.attributes.isEmpty ? [name] : failure.attributes.map { "\(name).\($0)" }
        return failure
      }
    }
    return try ask(model)
  }
}
