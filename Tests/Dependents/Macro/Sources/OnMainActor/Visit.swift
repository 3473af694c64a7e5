import ORM

/// A model of a module whose code is on the main actor unless it says otherwise.
@Persistable
public nonisolated struct Visit: Hashable {
  /// The key, given by the store.
  @PrimaryKey(.generated) public var id: Int64 = 0
  /// The place.
  public var place: String

  /// Makes a visit.
  public init(place: String) { self.place = place }
}
