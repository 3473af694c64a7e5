internal import ORMStorage

/// The derivation of an attribute of a model, such as `.count(of: \.players)`.
///
/// ```swift
/// @Persistable
/// struct Club {
///   @PrimaryKey(.generated) var id: Int64 = 0
///   var players: ToMany<Player> = ToMany()
///   @Derived(.sum(of: \Club.players, \Player.score)) var score = 0
/// }
/// ```
///
/// Key paths are looked up when the schema is built, by names when it is checked: both may lead to
/// models that are on their way.
public struct Derivation<Model, Value>: Sendable {
  let value: @Sendable () -> DerivedValue

  private init(_ value: @escaping @Sendable () -> DerivedValue) { self.value = value }

  private static func named(
    _ kind: DerivedValue.Kind, _ relationship: String, _ attribute: String? = nil
  ) -> Derivation {
    Derivation { DerivedValue(kind, of: relationship, attribute) }
  }
}

extension Derivation {
  /// Returns the number of targets a to-many has, by its name; the attribute is an Int or Int64.
  public static func count(_ relationship: String) -> Derivation { named(.count, relationship) }

  /// The sum of an attribute of the targets, both by their names.
  ///
  /// The attribute is as wide as sums are: an Int or Int64, a UInt or UInt64, a Double, a Decimal.
  public static func sum(_ relationship: String, _ attribute: String) -> Derivation {
    named(.sum, relationship, attribute)
  }

  /// The mean of an attribute of the targets, both by their names; the attribute is a `Double?`.
  public static func average(_ relationship: String, _ attribute: String) -> Derivation {
    named(.average, relationship, attribute)
  }

  /// The least value of an attribute of the targets, both by their names; the attribute is of the same
  /// type, and optional.
  public static func minimum(_ relationship: String, _ attribute: String) -> Derivation {
    named(.minimum, relationship, attribute)
  }

  /// The greatest value of an attribute of the targets, both by their names; the attribute is of the
  /// same type, and optional.
  public static func maximum(_ relationship: String, _ attribute: String) -> Derivation {
    named(.maximum, relationship, attribute)
  }
}

extension Derivation where Model: Persistable {
  private static func at<Target: PrimaryKeyed>(
    _ kind: DerivedValue.Kind, _ path: WritableAttributePath<Model, ToMany<Target>>,
    _ attribute: (any AnyKeyPath & Sendable)? = nil
  ) -> Derivation {
    Derivation {
      // A path to no relationship or attribute has a name that none has, which the schema reports.
      DerivedValue(
        kind, of: Model.entity.relationship(at: path)?.declaration.name ?? "",
        attribute.map { Target.entity.name(of: $0) ?? "" })
    }
  }

  /// Returns the number of targets a to-many has.
  public static func count<Target: PrimaryKeyed>(
    of path: WritableAttributePath<Model, ToMany<Target>>
  ) -> Derivation where Value: FixedWidthInteger {
    at(.count, path)
  }

  /// The sum of an attribute of the targets: `.sum(of: \.players, \.score)`.
  public static func sum<Target: PrimaryKeyed, Summed: SummableAttribute>(
    of path: WritableAttributePath<Model, ToMany<Target>>,
    _ attribute: AttributePath<Target, Summed>
  ) -> Derivation where Value == Summed.Total {
    at(.sum, path, attribute)
  }

  /// The mean of an attribute of the targets, nil where there are none.
  public static func average<Target: PrimaryKeyed, Summed: SummableAttribute>(
    of path: WritableAttributePath<Model, ToMany<Target>>,
    _ attribute: AttributePath<Target, Summed>
  ) -> Derivation where Value == Double? {
    at(.average, path, attribute)
  }

  /// The least value of an attribute of the targets, nil where there are none.
  public static func minimum<Target: PrimaryKeyed, Compared: ComparableAttribute>(
    of path: WritableAttributePath<Model, ToMany<Target>>,
    _ attribute: AttributePath<Target, Compared>
  ) -> Derivation where Value == Compared.Present? {
    at(.minimum, path, attribute)
  }

  /// The greatest value of an attribute of the targets, nil where there are none.
  public static func maximum<Target: PrimaryKeyed, Compared: ComparableAttribute>(
    of path: WritableAttributePath<Model, ToMany<Target>>,
    _ attribute: AttributePath<Target, Compared>
  ) -> Derivation where Value == Compared.Present? {
    at(.maximum, path, attribute)
  }
}

extension EntityPart {
  /// An attribute that the operations keep up to date with the targets of a to-many:
  /// `.derived("playerCount", \.playerCount, .count(of: \.players), .indexed)`.
  ///
  /// The object's own value is ignored when the object is saved, and it cannot be assigned. It
  /// changes in the operation that changes the targets; that is no change of the object for its
  /// hooks, its version or its timestamp of change. Options name and index it.
  public static func derived<Value: AttributeValue>(
    _ name: String, _ path: AttributePath<Model, Value>, _ derivation: Derivation<Model, Value>,
    _ options: AttributeOption<Value>...
  ) -> EntityPart {
    EntityPart(
      items: attributeItems(name, path, options) + [.derivation(name, derivation.value)])
  }

  /// An attribute derived from the targets of a to-many, after the parts so far.
  public func derived<Value: AttributeValue>(
    _ name: String, _ path: AttributePath<Model, Value>, _ derivation: Derivation<Model, Value>,
    _ options: AttributeOption<Value>...
  ) -> EntityPart {
    EntityPart(
      items: items + Self.attributeItems(name, path, options)
        + [.derivation(name, derivation.value)])
  }
}
