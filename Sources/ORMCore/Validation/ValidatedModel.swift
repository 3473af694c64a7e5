public import ORMRows

/// A model that checks whole objects by code.
///
/// ```swift
/// extension Booking: ValidatedModel {
///   func validate(_ check: inout Validation<Booking>) throws {
///     if check.event == .delete, isPaid { check.fail("paid", "a paid booking stays") }
///     if end < begin { check.fail("order", "must end after it begins", on: \.end) }
///   }
/// }
/// ```
///
/// It is asked on every path that writes, after the `will…` hooks, and by hand through
/// `Persistable.validate()`. A struct that is embedded in another model is asked with its referrer.
public protocol ValidatedModel: Persistable {
  /// Validates the object by code; an error that it throws ends the operation at once.
  func validate(_ check: inout Validation<Self>) throws
}

/// The event before which an object is checked.
public enum ValidationEvent: Sendable {
  /// The object becomes a new row.
  case insert
  /// The object replaces a stored row.
  case update
  /// The object's row is deleted.
  case delete
  /// No event: the object is checked by hand.
  case none
}

/// The failures of one object, collected by its checks.
///
/// ```swift
/// extension Flight: ValidatedModel {
///   func validate(_ check: inout Validation<Flight>) throws {
///     if number < 1 { check.fail("number", "must be positive", on: \.number) }
///   }
/// }
/// ```
public struct Validation<Model: Persistable> {
  /// The event before which the object is checked.
  public let event: ValidationEvent
  /// The stored object, if it is about to be replaced; nil otherwise.
  public let old: Model?
  /// The transaction of the operation; nil where the object is checked by hand.
  public let transaction: WriteTransaction?
  var failures: [StoreError] = []

  init(_ event: ValidationEvent, old: Model?, _ transaction: WriteTransaction?) {
    self.event = event
    self.old = old
    self.transaction = transaction
  }

  /// Notes that a rule is broken.
  ///
  /// ```swift
  /// extension Flight: ValidatedModel {
  ///   func validate(_ check: inout Validation<Flight>) throws {
  ///     if number < 1 { check.fail("number", "must be positive", on: \.number) }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - rule: a name for programs.
  ///   - message: a sentence for a person.
  ///   - paths: the attributes concerned.
  public mutating func fail(
    _ rule: String, _ message: String, on paths: (any PartialKeyPath<Model> & Sendable)...
  ) {
    let names = paths.compactMap { Model.entity.name(of: $0) }
    failures.append(
      StoreError(
        .validationFailed, message, entity: Model.entity.description.name, attributes: names,
        rule: rule))
  }
}

@available(*, unavailable)
extension Validation: Sendable {}
