#if Macros
  /// Marks a property of a `@Persistable` type as its primary key.
  ///
  /// ```swift
  /// @PrimaryKey(.uuidV7) var id: UUID = .unassigned
  /// ```
  ///
  /// The property may have any name. `@Persistable` then makes an `id` that reads and sets it, unless
  /// the type has a computed one. The attribute keeps the name of the property, in the store and in
  /// formats; typed conditions may use both key paths:
  ///
  /// ```swift
  /// @Persistable
  /// struct Coupon {
  ///   @PrimaryKey(.generated) var couponNumber: Int64 = 0
  ///   var label: String
  ///
  ///   static var some: Query<Coupon> { all.where { $0.couponNumber > 3 && $0.id < 9 } }
  /// }
  /// ```
  ///
  /// A key of several attributes is a struct inside the model that conforms to `CompositeKey`; its
  /// properties are the attributes.
  ///
  /// The key of a linking model may be its to-ones, each marked, and attributes beside them. The macro
  /// then makes `ID`, with a part for each, and an `id` that follows from them:
  ///
  /// ```swift
  /// @Persistable
  /// struct Booking {
  ///   @PrimaryKey var player: ToOne<Player> = ToOne()
  ///   @PrimaryKey var team: ToOne<Team> = ToOne()
  ///   var fee: Int?
  ///
  ///   static var first: Query<Booking> { all.where { $0.player.id == 1 && $0.id.team == 2 } }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - options: where keys come from (the program, unless said), and another name in the store.
  ///   - name: another name in the program.
  @attached(peer)
  public macro PrimaryKey(_ options: KeyOption..., name: String? = nil) =
    #externalMacro(module: "ORMMacros", type: "PrimaryKeyMacro")

  /// Marks a property as a primary key of several attributes, whose type is declared elsewhere.
  ///
  /// ```swift
  /// struct SeatKey: CompositeKey { var room: String; var number: Int }
  ///
  /// @Persistable
  /// struct Seat {
  ///   @PrimaryKey(parts: "room", "number") var id: SeatKey
  ///   var isTaken = false
  /// }
  /// ```
  ///
  /// - Parameter parts: the properties of the `CompositeKey`, in its order.
  @attached(peer)
  public macro PrimaryKey(parts: String...) =
    #externalMacro(module: "ORMMacros", type: "PrimaryKeyMacro")

  /// Declares the options of an attribute of a `@Persistable` type.
  ///
  /// ```swift
  /// @Attribute(.indexed, .indexed(.caseInsensitive)) var name: String
  /// @Attribute(.defaultNow, .named("created")) var createdAt: Date
  /// ```
  ///
  /// - Parameters:
  ///   - options: an `AttributeOption` each; a default's type is not
  ///     inferred from the property (`.default(Size.small)`).
  ///   - name: another name in the program, as conditions by name and format strings use it.
  @attached(peer)
  public macro Attribute(_ options: AttributeOption<DeclaredValue>..., name: String? = nil) =
    #externalMacro(module: "ORMMacros", type: "AttributeMacro")

  /// Marks an attribute of a `@Persistable` type that the operations keep up to date with the targets of one
  /// of its to-manys.
  ///
  /// ```swift
  /// @Persistable
  /// struct Club {
  ///   @PrimaryKey(.generated) var id: Int64 = 0
  ///   var players: ToMany<Player> = ToMany()
  ///   @Derived(.count(of: \Club.players), .indexed) var playerCount = 0
  ///   @Derived(.maximum(of: \Club.players, \Player.score)) var best: Int?
  /// }
  /// ```
  ///
  /// A count is an Int or Int64; a sum an Int or Int64 of integers, a UInt or UInt64 of unsigned
  /// ones, a Double, a Decimal; a mean a `Double?`; the least and greatest value are optional, of
  /// the targets' type. The object's own value is ignored when the object is saved, and it
  /// cannot be assigned.
  ///
  /// - Parameters:
  ///   - derivation: the source of the value: a to-many and an attribute of its targets, as key paths
  ///     that begin with their types, or by their names (`.sum("players", "score")`).
  ///   - options: indexes, another name in the store. A default, a rule and `.unique` are refused.
  ///   - name: another name in the program.
  @attached(peer)
  public macro Derived(
    _ derivation: Derivation<DeclaredValue, DeclaredValue>,
    _ options: AttributeOption<DeclaredValue>..., name: String? = nil
  ) = #externalMacro(module: "ORMMacros", type: "DerivedMacro")

  /// Keeps a property of any Codable type as a JSON text: `@Attribute(.json) var address: Address`.
  ///
  /// ```swift
  /// struct Info: Codable, Hashable, Sendable { var city: String }
  ///
  /// @Persistable
  /// struct Leaflet {
  ///   @PrimaryKey(.generated) var id: Int64 = 0
  ///   @Attribute(.json) var info: Info
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - form: `.json`.
  ///   - name: another name in the program.
  ///   - storedName: another name in the store.
  @attached(peer)
  public macro Attribute(_ form: AttributeForm, name: String? = nil, storedName: String? = nil) =
    #externalMacro(module: "ORMMacros", type: "AttributeMacro")

  /// Keeps the attributes of a struct among those of a `@Persistable` type:
  /// `@Embedded var address: Address`, or `Address?`.
  ///
  /// ```swift
  /// @Embedded var home: Address
  /// @Embedded var work: Address?
  /// ```
  ///
  /// The struct is `@Persistable` itself, without a `@PrimaryKey` and relationships. Its attributes
  /// are named by the path, `address.street`.
  ///
  /// - Parameters:
  ///   - name: another name in the program.
  ///   - storedName: another beginning of the names in the store.
  @attached(peer)
  public macro Embedded(name: String? = nil, storedName: String? = nil) =
    #externalMacro(module: "ORMMacros", type: "EmbeddedMacro")

  /// Declares the rules of a relationship of a `@Persistable` type, a `ToOne` or `ToMany`.
  ///
  /// ```swift
  /// @Relationship(inverse: \Player.team, delete: .cascade, count: 0...25)
  /// var players: ToMany<Player> = ToMany()
  /// ```
  ///
  /// - Parameters:
  ///   - inverse: the relationship of the target that leads back; named on one of the two sides.
  ///   - delete: the effect of deleting this object on the targets.
  ///   - targetDeleted: the effect of deleting a target on this object, where there is no inverse.
  ///   - required: of a to-one, whether there must always be a target.
  ///   - count: of a to-many, how many there may be.
  ///   - ordered: of a to-many, true if the order of the given targets is stored.
  ///   - shared: of a one-way to-many, whether a target may have several referrers.
  ///   - through: of a to-many, the model whose rows are the links.
  ///   - name: another name in the program.
  ///   - storedName: another name in those of the columns or of the join entity that hold the links.
  @attached(peer)
  public macro Relationship(
    inverse: (any AnyKeyPath & Sendable)? = nil, delete: DeleteRule = .nullify,
    targetDeleted: DeleteRule = .nullify, required: Bool = false,
    count: (any CountRange)? = nil, ordered: Bool = false, shared: Bool = false,
    through: (any Persistable.Type)? = nil, name: String? = nil, storedName: String? = nil
  ) = #externalMacro(module: "ORMMacros", type: "RelationshipMacro")

  /// Leaves a stored property of a `@Persistable` type out of the store; it needs an initial value.
  ///
  /// ```swift
  /// @Transient var isSelected = false
  /// ```
  @attached(peer)
  public macro Transient() = #externalMacro(module: "ORMMacros", type: "TransientMacro")

  /// The stored form of an attribute whose type does not determine it.
  public struct AttributeForm: Sendable {
    /// The form of a JSON text.
    public static let json = AttributeForm()
  }
#endif
